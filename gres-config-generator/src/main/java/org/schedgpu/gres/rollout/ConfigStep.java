package org.schedgpu.gres.rollout;

import java.util.List;
import java.util.Map;

/** The change of the files, as far as a rollout knows it. */
public interface ConfigStep {
  /**
   * Puts the files in place; nothing to do if they are there already.
   *
   * @return what was done, a line each
   * @throws org.schedgpu.gres.common.GresException if a file is not what it was expected to be, or
   *     cannot be written
   */
  List<String> make();

  /** Whether a file may have been changed already, also by a run that was ended in between. */
  boolean hasBegun();

  /**
   * Gres= of every node in the slurm.conf that a slurmctld would read now.
   *
   * @throws org.schedgpu.gres.common.GresException if slurm.conf cannot be read
   */
  Map<String, String> gresInPlace();
}
