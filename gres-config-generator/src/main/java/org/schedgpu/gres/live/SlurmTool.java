package org.schedgpu.gres.live;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs Slurm's commands from PATH to their end. They get LC_ALL=C and no variable that changes what
 * they request or print (SQUEUE_STATES, SLURM_TIME_FORMAT, SLURM_JOB_ID). Thread-safe.
 */
final class SlurmTool {
  private static final List<String> KEPT = List.of("SLURM_CONF", "SLURM_JWT");
  private static final List<String> CHANGING =
      List.of("SLURM_", "SLURMD_", "SQUEUE_", "SINFO_", "SCONTROL_", "SRUN_", "LC_");

  private final Map<String, String> environment;
  private final Duration limit;

  /**
   * @param environment replaces that of this process
   * @param limit time limit of a command, which is killed after that
   */
  SlurmTool(Map<String, String> environment, Duration limit) {
    this.environment = Map.copyOf(environment);
    this.limit = limit;
  }

  /** How a command ended. */
  record Result(int exitCode, String out, String err) {
    /** The command's message on one line: its errors, or else its output. */
    String said() {
      String text = (err.isBlank() ? out : err).strip().replaceAll("\\s*\\R\\s*", "; ");
      return text.isEmpty() ? "it said nothing, exit code " + exitCode : text;
    }
  }

  /**
   * Prepares a command that the caller starts and watches.
   *
   * @param command the command; its first word is searched in PATH
   */
  ProcessBuilder prepare(List<String> command) {
    requireConf();
    List<String> words = new ArrayList<>(command);
    words.set(0, find(command.get(0)));
    ProcessBuilder builder = new ProcessBuilder(words).redirectInput(Path.of("/dev/null").toFile());
    Map<String, String> variables = builder.environment();
    variables.clear();
    environment.forEach(
        (name, value) -> {
          if (KEPT.contains(name) || CHANGING.stream().noneMatch(name::startsWith)) {
            variables.put(name, value);
          }
        });
    variables.put("LC_ALL", "C");
    return builder;
  }

  /**
   * Runs a command.
   *
   * @return the result, whatever the exit code
   * @throws LiveException if the command does not exist, or does not end in time
   */
  Result run(String... command) {
    try {
      return ended(prepare(List.of(command)).start(), command);
    } catch (IOException e) {
      throw new LiveException(
          command[0] + " cannot be run (" + e.getMessage() + ")", "correct that and repeat", e);
    }
  }

  private Result ended(Process process, String... command) {
    CompletableFuture<String> out = text(process.getInputStream());
    CompletableFuture<String> err = text(process.getErrorStream());
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new LiveException(
            "%s did not end within %d s".formatted(String.join(" ", command), limit.toSeconds()),
            "see whether slurmctld answers: scontrol ping");
      }
      return new Result(process.exitValue(), out.join(), err.join());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LiveException(command[0] + " was interrupted", "repeat", e);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Reads the output on a thread of its own, so that a full pipe never blocks the command. */
  static CompletableFuture<String> text(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
          } catch (IOException e) {
            return "[output lost: " + e.getMessage() + "]";
          }
        },
        task -> {
          Thread thread = new Thread(task, "slurm-output");
          thread.setDaemon(true);
          thread.start();
        });
  }

  /** Checks that slurm.conf exists; Slurm itself would retry for a minute. */
  private void requireConf() {
    String conf = environment.getOrDefault("SLURM_CONF", "");
    if (!conf.isEmpty() && !Files.exists(Path.of(conf))) {
      throw new LiveException(
          "SLURM_CONF is " + conf + ", which is not there", "name the cluster's slurm.conf");
    }
  }

  private String find(String name) {
    return Stream.of(environment.getOrDefault("PATH", "").split(":", -1))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElseThrow(
            () ->
                new LiveException(
                    name + " is not in PATH",
                    "repeat where Slurm's commands are, or ask slurmrestd with --rest"));
  }
}
