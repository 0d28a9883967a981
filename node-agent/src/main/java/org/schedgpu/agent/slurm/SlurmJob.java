package org.schedgpu.agent.slurm;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What slurmctld says of a job.
 *
 * @param name as Slurm's commands take it: {@code 4711}, or {@code 4710_3} for an element of an
 *     array, whose number may be that of the whole array
 * @param state such as RUNNING
 * @param limitMinutes empty: unlimited
 * @param nodes on how many it runs
 * @param required host list of {@code --nodelist}; empty: none
 * @param excluded host list of {@code --exclude}; empty: none
 * @param start when this run began, as squeue prints it; another run of the job has another start
 */
public record SlurmJob(
    String name,
    String state,
    OptionalLong limitMinutes,
    int nodes,
    String required,
    String excluded,
    String start) {
  static final String FORMAT = "%i|%A|%T|%l|%D|%n|%x|%S";

  private static final Pattern LIMIT =
      Pattern.compile("(?:(\\d+)-)?(?:(\\d{1,2}):)?(\\d{1,2}):(\\d{2})");
  private static final Set<String> ENDED =
      Set.of(
          "BOOT_FAIL",
          "CANCELLED",
          "COMPLETED",
          "DEADLINE",
          "FAILED",
          "NODE_FAIL",
          "OUT_OF_MEMORY",
          "PREEMPTED",
          "REVOKED",
          "TIMEOUT");

  private static final int FIELDS = 8;
  private static final int MINUTES_OF_HOUR = 60;
  private static final int MINUTES_OF_DAY = 1440;

  /** True while its processes may run. */
  public boolean isRunning() {
    return state.equals("RUNNING");
  }

  /** True after the end of a run; its owner may put it back into the queue. */
  public boolean hasEnded() {
    return ENDED.contains(state);
  }

  /** True if it waits in the queue. */
  public boolean isPending() {
    return state.equals("PENDING");
  }

  /** The job with this number in what squeue printed; null if it is not there. */
  static SlurmJob of(long id, List<String> lines) {
    for (String line : lines) {
      String[] fields = line.strip().split("\\|", -1);
      if (fields.length == FIELDS && fields[1].equals(Long.toString(id))) {
        return new SlurmJob(
            fields[0],
            fields[2],
            minutes(fields[3]),
            fields[4].matches("\\d{1,9}") ? Integer.parseInt(fields[4]) : 1,
            fields[5],
            fields[6],
            fields[7]);
      }
    }
    return null;
  }

  /** Slurm rounds a limit up to minutes when it is set. */
  static OptionalLong minutes(String limit) {
    Matcher matcher = LIMIT.matcher(limit);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        number(matcher, 1) * MINUTES_OF_DAY
            + number(matcher, 2) * MINUTES_OF_HOUR
            + number(matcher, 3)
            + (number(matcher, 4) > 0 ? 1 : 0));
  }

  private static long number(Matcher matcher, int group) {
    return matcher.group(group) == null ? 0 : Long.parseLong(matcher.group(group));
  }
}
