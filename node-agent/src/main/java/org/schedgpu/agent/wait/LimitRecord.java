package org.schedgpu.agent.wait;

import java.util.Arrays;
import java.util.Optional;

/**
 * What the agent knows of the time limit of a job. Limits are minutes, as in Slurm.
 *
 * @param id of Slurm
 * @param begunNs CLOCK_MONOTONIC: a number may be used again, by a job that was requeued, too
 * @param nodes of the job
 * @param sumNs the sum of its waits when it was looked at
 * @param lookNs when that was, CLOCK_MONOTONIC
 * @param waitedNs for how long some process of the job has waited
 * @param baseMinutes the limit without what the agent added; negative: unlimited
 * @param beforeMinutes the limit that Slurm had before the last change of the agent
 * @param afterMinutes and after it: if the agent was killed, Slurm has one or the other
 * @param start of this run, by which another run of the job is known; 0: unknown
 */
record LimitRecord(
    long id,
    long begunNs,
    long nodes,
    long sumNs,
    long lookNs,
    long waitedNs,
    long baseMinutes,
    long beforeMinutes,
    long afterMinutes,
    long start) {
  private static final int FIELDS = 10;

  /** Earlier releases did not know the last one. */
  private static final int LEAST_FIELDS = 9;

  /** Of a job that is new. */
  static LimitRecord fresh(long id, long begunNs, long nodes, long limitMinutes, long start) {
    return new LimitRecord(
        id, begunNs, nodes, 0, begunNs, 0, limitMinutes, limitMinutes, limitMinutes, start);
  }

  /**
   * Of a job that runs again after it was requeued: what was added for the run before is no part of
   * the job's own limit.
   */
  LimitRecord again(long newBegunNs, long limitMinutes, long newStart) {
    return fresh(id, newBegunNs, nodes, limitMinutes, newStart)
        .with(without(limitMinutes), limitMinutes, limitMinutes);
  }

  /**
   * The limit that Slurm has, without what was added here. What its user took off meanwhile stays
   * off: or he would keep the rest. Of several nodes each takes its own part back, and leaves a
   * higher limit to the agent that has set it.
   */
  long without(long currentMinutes) {
    if (nodes > 1) {
      boolean ours = currentMinutes <= Math.max(beforeMinutes, afterMinutes);
      return ours ? Math.min(currentMinutes, baseMinutes) : currentMinutes;
    }
    return Math.max(1, seen(currentMinutes).baseMinutes());
  }

  /** True if Slurm has, or may have, a limit that the agent set. */
  boolean isExtended() {
    return baseMinutes >= 0 && Math.max(beforeMinutes, afterMinutes) > baseMinutes;
  }

  /**
   * Adds the waits since the last look. Processes may wait side by side: together they took no more
   * than the time that has passed.
   *
   * @param counts false if the job waits because of its own memory
   */
  LimitRecord look(long nowSumNs, long nowNs, boolean counts) {
    long more = counts ? Math.max(0, Math.min(nowSumNs - sumNs, nowNs - lookNs)) : 0;
    return new LimitRecord(
        id,
        begunNs,
        nodes,
        nowSumNs,
        nowNs,
        waitedNs + more,
        baseMinutes,
        beforeMinutes,
        afterMinutes,
        start);
  }

  /** With other limits. */
  LimitRecord with(long base, long before, long after) {
    return new LimitRecord(id, begunNs, nodes, sumNs, lookNs, waitedNs, base, before, after, start);
  }

  /**
   * The record, if Slurm has this limit now. If it is neither of the agent's, somebody else changed
   * it, and his change stays. With several nodes a higher limit may be that of another node's
   * agent: then the highest of them counts.
   */
  LimitRecord seen(long currentMinutes) {
    if (currentMinutes == beforeMinutes || currentMinutes == afterMinutes) {
      return with(baseMinutes, currentMinutes, currentMinutes);
    }
    boolean otherAgent = nodes > 1 && currentMinutes > afterMinutes;
    long base = otherAgent ? baseMinutes : baseMinutes + currentMinutes - afterMinutes;
    return with(base, currentMinutes, currentMinutes);
  }

  String line() {
    return "%d %d %d %d %d %d %d %d %d %d\n"
        .formatted(
            id,
            begunNs,
            nodes,
            sumNs,
            lookNs,
            waitedNs,
            baseMinutes,
            beforeMinutes,
            afterMinutes,
            start);
  }

  static Optional<LimitRecord> of(String line) {
    try {
      long[] n = Arrays.stream(line.strip().split(" ")).mapToLong(Long::parseLong).toArray();
      return n.length != FIELDS && n.length != LEAST_FIELDS
          ? Optional.empty()
          : Optional.of(
              new LimitRecord(
                  n[0],
                  n[1],
                  n[2],
                  n[3],
                  n[4],
                  n[5],
                  n[6],
                  n[7],
                  n[8],
                  n.length == FIELDS ? n[LEAST_FIELDS] : 0));
    } catch (NumberFormatException damaged) {
      return Optional.empty();
    }
  }
}
