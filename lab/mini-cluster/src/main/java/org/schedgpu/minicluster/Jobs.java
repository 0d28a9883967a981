package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The states and outputs of submitted jobs. Thread-safe. */
final class Jobs {
  private static final Pattern ROW = Pattern.compile("(\\d+) (\\d+) (\\w+)");

  private final SlurmCommands commands;
  private final Supplier<String> logs;

  Jobs(SlurmCommands commands, Supplier<String> logs) {
    this.commands = commands;
    this.logs = logs;
  }

  /**
   * A job's state. For an array: that of an element which is not finished, else of one which did
   * not complete.
   *
   * @throws MiniClusterException if the job does not exist
   */
  JobState state(long id) {
    JobState state = states(List.of(id)).get(id);
    if (state == null) {
      throw unknown(id);
    }
    return state;
  }

  /**
   * Waits until all jobs are finished.
   *
   * @throws MiniClusterException if the limit passes first, with the queue, the nodes and the logs,
   *     or if a job does not exist
   */
  Map<Long, JobState> await(Collection<Long> ids, Duration limit) {
    Map<Long, JobState> last = new HashMap<>();
    boolean finished =
        Waiting.until(
            limit,
            () -> {
              last.putAll(states(ids));
              return ids.stream().allMatch(id -> stateIn(last, id).isFinished());
            });
    if (!finished) {
      throw new MiniClusterException(
          "jobs are not finished after %s: %s%n%s".formatted(limit, last, situation()));
    }
    return last;
  }

  /**
   * What a batch job has written to its StdOut file so far; empty while an unfinished job has no
   * such file.
   *
   * @throws MiniClusterException if the job does not exist, or if it is finished and has no such
   *     file
   */
  String output(long id) {
    Path file = Path.of(field(id, "StdOut"));
    if (!Files.exists(file) && !state(id).isFinished()) {
      return "";
    }
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new MiniClusterException(
          "job %d (%s) has no output: %s".formatted(id, state(id), e), e);
    }
  }

  /**
   * One field of {@code scontrol show job -d}, such as {@code ExitCode} or {@code Reason}.
   *
   * @throws MiniClusterException if the job or the field does not exist
   */
  String field(long id, String name) {
    String all = commands.scontrol("-d", "-o", "show", "job", Long.toString(id)).orThrow().stdout();
    Matcher matcher = Pattern.compile("(?:^|\\s)" + Pattern.quote(name) + "=(\\S*)").matcher(all);
    if (!matcher.find()) {
      throw new MiniClusterException("job " + id + " has no field " + name + " in: " + all);
    }
    return matcher.group(1);
  }

  private Map<Long, JobState> states(Collection<Long> ids) {
    String list = ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    Map<Long, JobState> states = new HashMap<>();
    if (list.isEmpty()) {
      return states;
    }
    CommandResult result = commands.squeue("-h", "-r", "-t", "all", "-j", list, "-o", "%A %F %T");
    if (!result.stderr().contains("Invalid job id")) {
      result.orThrow();
    }
    result
        .stdout()
        .lines()
        .map(ROW::matcher)
        .filter(Matcher::matches)
        .forEach(
            row -> {
              JobState state = JobState.valueOf(row.group(3));
              states.merge(Long.valueOf(row.group(1)), state, Jobs::telling);
              states.merge(Long.valueOf(row.group(2)), state, Jobs::telling);
            });
    return states;
  }

  /** Of an array: an element that is not finished, else one that did not complete. */
  private static JobState telling(JobState one, JobState other) {
    if (one.isFinished() != other.isFinished()) {
      return one.isFinished() ? other : one;
    }
    return one == JobState.COMPLETED ? other : one;
  }

  private static JobState stateIn(Map<Long, JobState> states, long id) {
    JobState state = states.get(id);
    if (state == null) {
      throw unknown(id);
    }
    return state;
  }

  private static MiniClusterException unknown(long id) {
    return new MiniClusterException("Slurm knows no job " + id);
  }

  private String situation() {
    return commands.squeue("-o", "%i %T %R").stdout()
        + commands.sinfo("-N", "-o", "%N %T %E").stdout()
        + logs.get();
  }
}
