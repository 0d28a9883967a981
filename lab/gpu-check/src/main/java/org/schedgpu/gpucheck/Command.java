package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

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
    Path errors = temporary();
    try {
      return run(command, environment, deadline, errors);
    } finally {
      remove(errors);
    }
  }

  /** The same; its standard error stays in the file {@code errors}. */
  static Result run(
      List<String> command, Map<String, String> environment, Deadline deadline, Path errors)
      throws InterruptedException {
    Path output = temporary();
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().clear();
      builder.environment().putAll(environment);
      Process process = builder.start();
      try {
        if (!process.waitFor(Math.max(deadline.left().toMillis(), 1), TimeUnit.MILLISECONDS)) {
          throw new OutOfTime(command.get(0) + " did not end in the time that was left");
        }
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    } catch (IOException e) {
      throw new CheckException("cannot run " + command.get(0), e);
    } finally {
      remove(output);
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

  private static Path temporary() {
    try {
      return Files.createTempFile("gpu-check", ".txt");
    } catch (IOException e) {
      throw new CheckException("cannot make a temporary file", e);
    }
  }

  private static void remove(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new CheckException("cannot remove " + file, e);
    }
  }
}
