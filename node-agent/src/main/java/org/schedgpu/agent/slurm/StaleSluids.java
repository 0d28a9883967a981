package org.schedgpu.agent.slurm;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes SLUID records of jobs whose epilog did not remove them. The record of a job in the region
 * stays. Another record is removed after a grace period, if slurmctld says that the job is over;
 * without the period, a prolog could lose the record of a job that it is about to register. Used by
 * one thread.
 */
final class StaleSluids {
  private static final Logger LOG = LoggerFactory.getLogger(StaleSluids.class);

  private final Sluids sluids;
  private final SlurmQueue slurm;

  /** Since when its job has not been registered. */
  private Map<Sluids.Link, Long> leftSinceNs = new HashMap<>();

  StaleSluids(Sluids sluids, SlurmQueue slurm) {
    this.sluids = sluids;
    this.slurm = slurm;
  }

  /** Removes unused records whose grace period is over. */
  void look(RegionSnapshot snapshot, long graceNs, long nowNs) {
    Set<Long> registered =
        snapshot.jobs().stream()
            .filter(job -> job.kind() == JobKind.SLURM)
            .map(Job::id)
            .collect(Collectors.toSet());
    Map<Sluids.Link, Long> now = new HashMap<>();
    for (Sluids.Link link : sluids.all()) {
      if (!registered.contains(link.jobId())) {
        long sinceNs = leftSinceNs.getOrDefault(link, nowNs);
        now.put(link, nowNs - sinceNs >= graceNs ? settle(link, nowNs) : sinceNs);
      }
    }
    leftSinceNs = now;
  }

  /** Slurm is asked again only after another grace period. */
  private long settle(Sluids.Link link, long nowNs) {
    if (slurm.ask(link.jobId()) == SlurmQueue.Answer.OVER && sluids.forget(link)) {
      LOG.warn(
          "left sluid={} of job=slurm:{} removed: Slurm says that the job is over, and its epilog"
              + " did not run",
          link.sluid(),
          link.jobId());
    }
    return nowNs;
  }

  /** The agent ended a job in place of its epilog. */
  void ended(long jobId) {
    sluids.all().stream().filter(link -> link.jobId() == jobId).forEach(sluids::forget);
  }
}
