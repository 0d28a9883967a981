package org.schedgpu.agent.history;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.AgentCounts.Usage;
import org.schedgpu.agent.task.AgentCounts.UsageOwner;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Counts what users reserve and use from one sample to the next, for the metrics. */
final class UsageCounter {
  private static final double NS = 1e9;

  private final AgentCounts counts;
  private final IntFunction<String> users;
  private OptionalLong lastNs = OptionalLong.empty();

  UsageCounter(AgentCounts counts, IntFunction<String> users) {
    this.counts = counts;
    this.users = users;
  }

  /**
   * Adds a sample. A job counts from the sample before, or from its beginning.
   *
   * @param now of the sample
   * @param accounts knows them
   * @param wanted if false, nothing is counted, and the next sample is the first
   */
  void add(HistoryBatch look, RegionSnapshot now, HistoryWriter accounts, boolean wanted) {
    long nowNs = RegionSnapshot.nowNs();
    if (wanted && lastNs.isPresent()) {
      Map<JobKey, Job> jobs = new HashMap<>();
      now.jobs().forEach(job -> jobs.put(JobSampler.key(job), job));
      for (SeenSample sample : look.jobs()) {
        Job job = jobs.get(sample.key());
        double seconds = (nowNs - Math.max(lastNs.getAsLong(), job.begunNs())) / NS;
        counts.use(
            new UsageOwner(users.apply(job.uid()), accounts.account(sample.key())),
            Usage.memory(sample.heldBytes() * seconds, sample.inUseBytes() * seconds));
      }
    }
    lastNs = wanted ? OptionalLong.of(nowNs) : OptionalLong.empty();
  }
}
