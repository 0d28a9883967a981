package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.schedgpu.gres.common.Subprocess;

/** Commands that run to their end. */
final class Command {
  private Command() {}

  /**
   * The result.
   *
   * @param exitCode 128 + n if signal n ended it
   */
  record Result(int exitCode, String output, String errors) {
    boolean isSuccess() {
      return exitCode == 0;
    }

    /** The last line of its error output, or of its output. */
    String lastLine() {
      String text = errors.isBlank() ? output : errors;
      return text.lines()
          .filter(line -> !line.isBlank())
          .reduce("", (before, line) -> line)
          .strip();
    }
  }

  /**
   * Runs a command; it is killed at the deadline.
   *
   * @param environment all of it
   * @throws OutOfTime if it takes too long
   * @throws CheckException if it cannot be started
   */
  static Result run(List<String> command, Map<String, String> environment, Deadline deadline)
      throws InterruptedException {
    return run(command, environment, deadline, errors -> {});
  }

  /** The same; its standard error is also passed on, before anything is thrown. */
  static Result run(
      List<String> command,
      Map<String, String> environment,
      Deadline deadline,
      Consumer<String> errors)
      throws InterruptedException {
    try {
      Subprocess.Result result =
          Subprocess.of(command)
              .environment(Map::clear)
              .environment(variables -> variables.putAll(environment))
              .detached()
              .run(deadline.left());
      errors.accept(result.err());
      return switch (result.end()) {
        case ENDED -> new Result(result.exitCode(), result.out(), result.err());
        case INTERRUPTED -> {
          Thread.interrupted(); // the exception says so
          throw new InterruptedException(command.get(0));
        }
        default -> throw new OutOfTime(command.get(0) + " did not end in the time that was left");
      };
    } catch (IOException e) {
      throw new CheckException("cannot run " + command.get(0), e);
    }
  }

  /** A command in the PATH, if it exists. */
  static Optional<Path> find(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(":", -1)) {
      Path file = Path.of(folder.isEmpty() ? "." : folder, name);
      if (Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }
}
