package org.schedgpu.minicluster;

import java.util.List;

/**
 * How a command ended.
 *
 * @param command what was run, as the caller gave it
 * @param exitCode its exit status; 128 + n if signal n ended it
 * @param stdout all it wrote to its standard output
 * @param stderr all it wrote to its standard error
 */
public record CommandResult(List<String> command, int exitCode, String stdout, String stderr) {
  /** Whether the exit status is 0. */
  public boolean ok() {
    return exitCode == 0;
  }

  /**
   * This result, if the exit status is 0.
   *
   * @throws MiniClusterException with both streams if it is not
   */
  public CommandResult orThrow() {
    if (ok()) {
      return this;
    }
    throw new MiniClusterException(
        "'%s' ended with %d\n%s%s".formatted(String.join(" ", command), exitCode, stdout, stderr));
  }
}
