package org.schedgpu.agent.slurm;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The remaining time limits of jobs. Slurm is asked for all jobs of the node at once, at most once
 * a minute.
 */
public final class SlurmLimits {
  private static final long KEEP_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long PATIENCE_S = 2;
  private static final Pattern LEFT = Pattern.compile("(?:(?:(\\d+)-)?(\\d+):)?(\\d+):(\\d+)");

  private final String command;
  private Map<Long, Long> leftNs = Map.of();
  private List<Long> askedFor = List.of();
  private long askedNs;

  /**
   * @param command squeue
   */
  public SlurmLimits(String command) {
    this.command = command;
  }

  /** Asks, unless the answer to the same question is recent enough. */
  public void ask(List<Long> jobIds, long nowNs) {
    if (jobIds.isEmpty() || (jobIds.equals(askedFor) && nowNs - askedNs < KEEP_NS)) {
      return;
    }
    leftNs = squeue(jobIds);
    askedFor = List.copyOf(jobIds);
    askedNs = nowNs;
  }

  /** The time from now; empty if Slurm did not answer, or sets no limit. */
  public OptionalLong leftNs(long jobId, long nowNs) {
    Long left = leftNs.get(jobId);
    return left == null
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(0, left - (nowNs - askedNs)));
  }

  private Map<Long, Long> squeue(List<Long> jobIds) {
    String ids = jobIds.stream().map(Object::toString).collect(Collectors.joining(","));
    SlurmCommand.Result squeue =
        SlurmCommand.run(
            List.of(command, "--noheader", "--format=%A|%L", "--jobs=" + ids), PATIENCE_S);
    return squeue.ok() ? parse(squeue.text().lines().toList()) : Map.of();
  }

  /** Parses lines {@code 4711|1-02:03:04}; skips UNLIMITED and every other text without a time. */
  static Map<Long, Long> parse(List<String> lines) {
    Map<Long, Long> left = new HashMap<>();
    for (String line : lines) {
      String[] parts = line.strip().split("\\|", -1);
      Matcher time = LEFT.matcher(parts.length == 2 ? parts[1].strip() : "");
      if (time.matches() && parts[0].matches("\\d{1,18}")) {
        left.put(Long.parseLong(parts[0]), seconds(time) * TimeUnit.SECONDS.toNanos(1));
      }
    }
    return left;
  }

  private static long seconds(Matcher time) {
    long seconds = 0;
    int[] worth = {86_400, 3600, 60, 1};
    for (int group = 1; group <= worth.length; group++) {
      seconds +=
          time.group(group) == null ? 0 : Long.parseLong(time.group(group)) * worth[group - 1];
    }
    return seconds;
  }
}
