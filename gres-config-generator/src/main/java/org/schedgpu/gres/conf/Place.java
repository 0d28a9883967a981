package org.schedgpu.gres.conf;

import java.nio.file.Path;
import org.schedgpu.gres.common.GresException;

/**
 * The place of a line in a file, for messages.
 *
 * @param line line number, from 1; of a continued line the number of its first line, as Slurm
 *     counts
 */
public record Place(Path file, int line) {
  /** {@code /etc/slurm/slurm.conf line 12}. */
  @Override
  public String toString() {
    return file + " line " + line;
  }

  /** An error at this place. */
  public GresException error(String problem, String action) {
    return new GresException(this + ", " + problem, action);
  }

  /**
   * A warning at this place: Slurm accepts the line, but it probably means something else than
   * intended.
   */
  public String warning(String problem) {
    return this + ", " + problem;
  }
}
