package org.schedgpu.gres.rollout;

import java.util.List;
import java.util.Map;

/** The change of the files, as a rollout sees it. */
public interface ConfigStep {
  /**
   * Puts the files in place; does nothing if they are there already.
   *
   * @return what was done, a line each
   * @throws org.schedgpu.gres.common.GresException if a file has unexpected content, or cannot be
   *     written
   */
  List<String> make();

  /** True if a file may have been changed already, also by an earlier run that was interrupted. */
  boolean hasBegun();

  /**
   * Gres= of every node in the slurm.conf that a slurmctld would read if it started now.
   *
   * @throws org.schedgpu.gres.common.GresException if slurm.conf cannot be read
   */
  Map<String, String> gresInPlace();
}
