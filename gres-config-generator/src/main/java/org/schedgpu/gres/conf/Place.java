package org.schedgpu.gres.conf;

import java.nio.file.Path;
import org.schedgpu.gres.common.GresException;

/**
 * Where something stands.
 *
 * @param line of the file, from 1; of a continued line the first, as Slurm counts it
 */
public record Place(Path file, int line) {
  /** {@code /etc/slurm/slurm.conf line 12}. */
  @Override
  public String toString() {
    return file + " line " + line;
  }

  /** What is wrong here, and what to do. */
  public GresException error(String problem, String action) {
    return new GresException(this + ", " + problem, action);
  }

  /** What Slurm takes, but hardly as it was meant. */
  public String warning(String problem) {
    return this + ", " + problem;
  }
}
