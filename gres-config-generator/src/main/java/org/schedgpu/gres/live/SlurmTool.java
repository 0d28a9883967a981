package org.schedgpu.gres.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Subprocess;

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
  Subprocess prepare(List<String> command) {
    requireConf();
    List<String> words = new ArrayList<>(command);
    words.set(0, find(command.get(0)));
    return Subprocess.of(words).environment(this::put);
  }

  private void put(Map<String, String> variables) {
    variables.clear();
    environment.forEach(
        (name, value) -> {
          if (KEPT.contains(name) || CHANGING.stream().noneMatch(name::startsWith)) {
            variables.put(name, value);
          }
        });
    variables.put("LC_ALL", "C");
  }

  /**
   * Runs a command.
   *
   * @return the result, whatever the exit code
   * @throws LiveException if the command does not exist, or does not end in time
   */
  Result run(String... command) {
    try {
      return ended(prepare(List.of(command)).run(limit), command);
    } catch (IOException e) {
      throw new LiveException(
          command[0] + " cannot be run (" + e.getMessage() + ")", "correct that and repeat", e);
    }
  }

  private static Result ended(Subprocess.Result result, String... command) {
    return switch (result.end()) {
      case ENDED -> new Result(result.exitCode(), result.out(), result.err());
      case INTERRUPTED -> throw new LiveException(command[0] + " was interrupted", "repeat");
      default ->
          throw new LiveException(
              String.join(" ", command) + " " + result.problem().orElseThrow(),
              "see whether slurmctld answers: scontrol ping");
    };
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
