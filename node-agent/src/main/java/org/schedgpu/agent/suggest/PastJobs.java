package org.schedgpu.agent.suggest;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobQuery;
import org.schedgpu.agent.history.JobRecord;

/** What the history of a node teaches. */
public final class PastJobs {
  /** The limit on how far back it reads, which keeps the reading time short. */
  private static final int MAX_JOBS = 20_000;

  private PastJobs() {}

  /**
   * Learns from the recorded jobs.
   *
   * @param uid of this user only
   * @param name with this name only
   */
  public static Learner learn(
      HistoryStore history, OptionalInt uid, Optional<String> name, DeviceSizes sizes) {
    JobQuery query = JobQuery.all().inTurnsOfUsers().limit(MAX_JOBS);
    if (uid.isPresent()) {
      query = query.ofUser(uid.getAsInt());
    }
    if (name.isPresent()) {
      query = query.named(name.get());
    }
    Learner learner = new Learner();
    history.eachJob(
        query,
        job -> {
          if (job.state() == JobRecord.State.ENDED) {
            learner.add(run(job, sizes));
          }
        });
    return learner;
  }

  private static PastRun run(JobRecord job, DeviceSizes sizes) {
    Map<Integer, PastRun.Use> uses = new HashMap<>();
    job.devices()
        .forEach(
            (d, use) ->
                uses.put(
                    d, new PastRun.Use(use.requestedBytes(), use.usedBytes(sizes.context(d)))));
    return PastRun.of(job.uid(), job.user(), job.name(), uses, job.refusals(), sizes);
  }
}
