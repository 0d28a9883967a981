package org.schedgpu.agent.conf;

import static java.util.regex.Pattern.CASE_INSENSITIVE;
import static java.util.regex.Pattern.DOTALL;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;

/**
 * Where the region is as schedgpu.conf says, and nothing else of it: to check all keys takes longer
 * than most questions. Whether the other keys are right is for who reads them ({@link Conf}).
 */
public final class RunDirSetting {
  static final Path USUAL = Path.of("/run/schedgpu");
  private static final Pattern OUR_KEY =
      Pattern.compile("\\s*RunDir\\b.*", CASE_INSENSITIVE | DOTALL);
  private static final Pattern PLAIN =
      Pattern.compile("\\s*RunDir=(/[^\\s\"#\0]*)\\s*(#.*)?", CASE_INSENSITIVE | DOTALL);

  private RunDirSetting() {}

  /**
   * Of the usual file, or as if it were empty where there is none; empty if that cannot be told by
   * one plain line: then the whole of it is to be read.
   *
   * @param environment in which SLURM_CONF is looked for
   */
  public static Optional<Path> read(Map<String, String> environment) {
    Path file = Conf.usualPlace(environment);
    try {
      return Files.exists(file) ? of(Texts.lines(file)) : Optional.of(USUAL);
    } catch (AgentException unreadable) {
      return Optional.empty();
    }
  }

  private static Optional<Path> of(List<String> lines) {
    List<String> ours = lines.stream().filter(line -> OUR_KEY.matcher(line).matches()).toList();
    if (ours.isEmpty()) {
      return Optional.of(USUAL);
    }
    Matcher plain = PLAIN.matcher(ours.get(0));
    return ours.size() == 1 && plain.matches()
        ? Optional.of(Path.of(plain.group(1)))
        : Optional.empty();
  }
}
