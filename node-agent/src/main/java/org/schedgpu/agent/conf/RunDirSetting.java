package org.schedgpu.agent.conf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;

/**
 * Where the region is as schedgpu.conf says, and nothing else of it: to check all keys takes longer
 * than most questions. Whether the other keys are right is for who reads them ({@link Conf}).
 */
public final class RunDirSetting {
  static final String KEY = "RunDir";
  static final String USUAL = "/run/schedgpu";

  private RunDirSetting() {}

  /**
   * Of the usual file, or as if it were empty where there is none; empty if it has none that is
   * right.
   *
   * @param environment in which SLURM_CONF is looked for
   */
  public static Optional<Path> read(Map<String, String> environment) {
    Path file = Conf.usualPlace(environment);
    try {
      return Files.exists(file) ? of(file) : Optional.of(Path.of(USUAL));
    } catch (AgentException unreadable) {
      return Optional.empty();
    }
  }

  private static Optional<Path> of(Path file) {
    ConfLines lines = new ConfLines(file.toString());
    String found = null;
    for (ConfLines.Line line : lines.read(Texts.lines(file))) {
      for (ConfLines.Pair pair : line.pairs()) {
        boolean isIt = pair.key().equalsIgnoreCase(KEY);
        if (isIt && found != null) {
          return Optional.empty();
        }
        found = isIt ? pair.value() : found;
      }
    }
    lines.check();
    Path runDir = Path.of(found == null ? USUAL : found);
    return runDir.isAbsolute() ? Optional.of(runDir) : Optional.empty();
  }
}
