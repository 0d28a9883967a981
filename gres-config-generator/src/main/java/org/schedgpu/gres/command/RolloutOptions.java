package org.schedgpu.gres.command;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.rollout.Commands;
import picocli.CommandLine.Option;

/**
 * The administrator's commands and limits; {@code --continue} uses those of the earlier run by
 * default.
 */
final class RolloutOptions {
  private static final long RESTART_LIMIT_S = 120;
  private static final long COMMAND_LIMIT_S = 300;
  private static final Pattern SPAN = Pattern.compile("([1-9][0-9]{0,6})([smhd]?)");

  @Option(
      names = "--restart-slurmctld",
      paramLabel = "CMD",
      description = "Run with sh -c. Default: asks you to do it.")
  private String restartSlurmctld;

  @Option(
      names = "--restart-slurmd",
      paramLabel = "CMD",
      description = "For each node, %%n is its name; without %%n once for all.")
  private String restartSlurmd;

  @Option(
      names = "--distribute",
      paramLabel = "CMD",
      description = "Brings the files to node %%n, before the restarts.")
  private String distribute;

  @Option(
      names = "--wait-for-jobs",
      paramLabel = "TIME",
      description = "How long GPU jobs have to end: forever (default), 90s, 30m, 2h.")
  private String waitForJobs;

  @Option(
      names = "--restart-limit",
      paramLabel = "TIME",
      description = "How long a daemon may take to return. Default: 2m.")
  private String restartLimit;

  @Option(
      names = "--command-limit",
      paramLabel = "TIME",
      description = "How long one of the commands may take. Default: 5m.")
  private String commandLimit;

  /** The commands of a new rollout. */
  Commands commands(String rest) {
    return commands(new Commands(null, null, null, null, RESTART_LIMIT_S, COMMAND_LIMIT_S, rest));
  }

  /**
   * The given commands, and those of the earlier run where none is given.
   *
   * @throws GresException if a time limit is not valid
   */
  Commands commands(Commands before) {
    return new Commands(
        restartSlurmctld == null ? before.restartSlurmctld() : restartSlurmctld,
        restartSlurmd == null ? before.restartSlurmd() : restartSlurmd,
        distribute == null ? before.distribute() : distribute,
        waitForJobs == null
            ? before.waitForJobsS()
            : waitForJobs.toLowerCase(Locale.ROOT).equals("forever")
                ? null
                : (Long) seconds("--wait-for-jobs", waitForJobs),
        restartLimit == null ? before.restartLimitS() : seconds("--restart-limit", restartLimit),
        commandLimit == null ? before.commandLimitS() : seconds("--command-limit", commandLimit),
        before.rest());
  }

  private static long seconds(String option, String text) {
    Matcher span = SPAN.matcher(text);
    if (!span.matches()) {
      throw new GresException(
          option + " " + Check.quoted(text) + " is no time", "write 90s, 30m, 2h or 1d");
    }
    long number = Long.parseLong(span.group(1));
    return switch (span.group(2)) {
      case "m" -> TimeUnit.MINUTES.toSeconds(number);
      case "h" -> TimeUnit.HOURS.toSeconds(number);
      case "d" -> TimeUnit.DAYS.toSeconds(number);
      default -> number;
    };
  }
}
