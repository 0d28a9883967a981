package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file that Prolog= or Epilog= names: ours, a script that calls ours, or another. It is read and
 * never run, because doctor may be root and the file another user's.
 *
 * @param calls whether schedGPU's program is run
 * @param problem why a run would fail; follows a text that names the file
 */
record HookProgram(boolean calls, Optional<String> problem) {
  private static final int MAX_BYTES = 1 << 20;

  /** Words after which a shell expects a command, and commands that run another one. */
  private static final Set<String> PREFIXES =
      Set.of(
          "!", "{", "command", "do", "elif", "else", "env", "exec", "if", "ionice", "nice", "nohup",
          "sudo", "then", "time", "timeout", "while");

  private static final Set<PosixFilePermission> EXECUTE =
      Set.of(
          PosixFilePermission.OWNER_EXECUTE,
          PosixFilePermission.GROUP_EXECUTE,
          PosixFilePermission.OTHERS_EXECUTE);

  /** Slurm gives hooks no PATH; this is what a shell then takes. */
  private static final List<String> SHELL_PATH =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private static final Pattern SHELL = Pattern.compile("#!\\s*\\S*?(env\\s+)?(|\\S*/)\\w*sh\\b.*");
  private static final Pattern ASSIGNMENT = Pattern.compile("(\\w+)=(.*)");
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)}?");
  private static final Pattern QUOTED = Pattern.compile("[\"']([^\"'\\s]*)[\"']");

  /**
   * Reads a file.
   *
   * @param name of our program, {@code schedgpu-prolog}
   */
  static HookProgram of(Path file, String name) {
    if (Files.notExists(file)) {
      return new HookProgram(false, Optional.of("which is not there"));
    }
    try {
      Path real = file.toRealPath();
      if (!Files.isRegularFile(real)) {
        return new HookProgram(false, Optional.of("which is no file"));
      }
      if (Files.getPosixFilePermissions(real).stream().noneMatch(EXECUTE::contains)) {
        return new HookProgram(false, Optional.of("which is not executable"));
      }
      return program(real, name);
    } catch (IOException unreadable) {
      return new HookProgram(false, Optional.of("which this user cannot read: try as root"));
    }
  }

  private static HookProgram program(Path real, String name) throws IOException {
    if (Files.size(real) <= MAX_BYTES) {
      String text = Files.readString(real, StandardCharsets.ISO_8859_1);
      if (text.startsWith("#!")) {
        return script(text.lines().toList(), name);
      }
    }
    return new HookProgram(real.endsWith(name), Optional.empty());
  }

  private static HookProgram script(List<String> lines, String name) {
    boolean shell = SHELL.matcher(lines.get(0)).matches();
    List<String> called = new ArrayList<>();
    Map<String, String> variables = new HashMap<>();
    for (String line : lines) {
      String code = line.replaceFirst("(^|\\s)#.*", "$1");
      called.addAll(shell ? commands(code, variables) : quoted(code));
    }
    List<String> ours = called.stream().filter(word -> Path.of(word).endsWith(name)).toList();
    Optional<String> missing =
        ours.stream()
            .filter(word -> !isThere(word))
            .map("which calls %s, which is not there"::formatted)
            .findFirst();
    return new HookProgram(!ours.isEmpty(), missing);
  }

  private static List<String> quoted(String code) {
    return QUOTED
        .matcher(code)
        .results()
        .map(match -> match.group(1))
        .filter(HookProgram::isPath)
        .toList();
  }

  /** The words of a line that stand where a shell expects a command. */
  private static List<String> commands(String code, Map<String, String> variables) {
    List<String> commands = new ArrayList<>();
    for (String command : code.split("[;&|()`]+", -1)) {
      boolean prefixed = true;
      for (String raw : command.strip().split("\\s+", -1)) {
        String word = expanded(raw.replaceAll("[\"']", ""), variables);
        Matcher assignment = ASSIGNMENT.matcher(word);
        if (assignment.matches()) {
          variables.put(assignment.group(1), assignment.group(2));
        } else if (prefixed && isPath(word) && !PREFIXES.contains(word)) {
          commands.add(word);
        }
        // Options and numbers of timeout, nice and the like come before the command.
        prefixed &=
            assignment.matches() || PREFIXES.contains(word) || word.matches("-.*|[0-9.]+[smhd]?");
      }
    }
    return commands;
  }

  private static String expanded(String word, Map<String, String> variables) {
    return VARIABLE
        .matcher(word)
        .replaceAll(
            match ->
                Matcher.quoteReplacement(variables.getOrDefault(match.group(1), match.group())));
  }

  private static boolean isPath(String word) {
    return !word.isEmpty() && word.indexOf('\0') < 0;
  }

  /** True also for a path that only the script knows. */
  private static boolean isThere(String word) {
    return word.indexOf('$') >= 0
        || (word.indexOf('/') >= 0
            ? Files.isRegularFile(Path.of(word))
            : SHELL_PATH.stream().anyMatch(dir -> Files.isRegularFile(Path.of(dir, word))));
  }
}
