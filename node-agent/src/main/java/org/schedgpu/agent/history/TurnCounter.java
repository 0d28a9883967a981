package org.schedgpu.agent.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.AgentCounts.Usage;
import org.schedgpu.agent.task.AgentCounts.UsageOwner;
import org.schedgpu.jna.LaneUse;

/**
 * Counts how long the jobs of users had turns of lanes, for the metrics. The region counts that of
 * each job, also of one that has ended: so nothing between two samples is lost.
 */
final class TurnCounter {
  private static final double NS = 1e9;

  private final AgentCounts counts;
  private final Map<JobKey, Long> counted = new HashMap<>();
  private OptionalLong sinceNs = OptionalLong.empty();
  private RegionKey region;
  private long ended;

  TurnCounter(AgentCounts counts) {
    this.counts = counts;
  }

  /**
   * Adds what is new since the last call. A job that began before the first one counts from there.
   *
   * @param look is in the history already
   * @param accounts knows the accounts of its jobs
   * @param clock of the look
   * @param wanted if false, nothing is counted, and the next call is the first
   */
  void add(HistoryBatch look, HistoryWriter accounts, Clock clock, boolean wanted) {
    if (!wanted || !look.region().equals(region)) {
      counted.clear();
      ended = 0;
      region = look.region();
    }
    if (!wanted) {
      sinceNs = OptionalLong.empty();
      return;
    }
    if (sinceNs.isEmpty()) {
      sinceNs = OptionalLong.of(clock.monotonicNs());
    }
    look.running().forEach(job -> add(job, accounts));
    newlyEnded(look)
        .forEach(
            job -> {
              add(job, accounts);
              counted.remove(job.key());
            });
    look.vanished().forEach(counted::remove);
  }

  /** A new history file gets again what the region remembers. */
  private List<SeenJob> newlyEnded(HistoryBatch look) {
    long before = look.lastSequence() < ended ? 0 : ended; // a repaired region begins again
    ended = look.lastSequence();
    return look.ended().stream().filter(job -> job.sequence().orElse(0) > before).toList();
  }

  private void add(SeenJob seen, HistoryWriter accounts) {
    OptionalLong service = seen.job().lane().map(LaneUse::serviceNs).orElse(OptionalLong.empty());
    if (service.isEmpty()) {
      return;
    }
    long now = service.getAsLong();
    boolean old = seen.key().begunNs() < sinceNs.orElseThrow();
    long before = counted.getOrDefault(seen.key(), old ? now : 0L);
    counted.put(seen.key(), Math.max(before, now));
    if (now > before) {
      counts.use(
          new UsageOwner(seen.job().user(), accounts.account(seen.key())),
          Usage.turns((now - before) / NS));
    }
  }
}
