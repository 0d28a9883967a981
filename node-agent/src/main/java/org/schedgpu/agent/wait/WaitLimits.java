package org.schedgpu.agent.wait;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.WaitAction;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.slurm.SlurmJob;
import org.schedgpu.agent.suggest.JobComment;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * WaitLimit: what happens to a job that has waited too long before it held any memory. Nothing of
 * its work on this node is lost then. Jobs over several nodes may wait for each other on each
 * other's nodes, which no node can see; that one of them goes back ends this.
 */
final class WaitLimits {
  private static final Logger LOG = LoggerFactory.getLogger(WaitLimits.class);

  private final Supplier<RegionSnapshot> fresh;
  private final SlurmControl slurm;
  private final String node;
  private final Exclusions exclusions;

  /** What is settled of a job, by reference and begin: on how many nodes it runs, or 0. */
  private Map<String, Integer> known = new HashMap<>();

  /** As in schedgpu.conf; empty: no limit. */
  record Settings(OptionalLong waitNs, OptionalLong ofSeveralNodesNs, WaitAction action) {
    long leastNs() {
      return Math.min(waitNs.orElse(Long.MAX_VALUE), ofSeveralNodesNs.orElse(Long.MAX_VALUE));
    }

    long ns(int nodes) {
      return nodes > 1 ? leastNs() : waitNs.orElse(Long.MAX_VALUE);
    }
  }

  /**
   * @param fresh a new snapshot, after Slurm has answered
   * @param node the name of this one in Slurm
   */
  WaitLimits(
      Supplier<RegionSnapshot> fresh, SlurmControl slurm, String node, Exclusions exclusions) {
    this.fresh = fresh;
    this.slurm = slurm;
    this.node = node;
    this.exclusions = exclusions;
  }

  /** Looks at the jobs of a snapshot. */
  void look(RegionSnapshot now, long nowNs, Settings settings, Attempts attempts, long attemptNs) {
    Shares shares = new Shares(now);
    Map<String, Integer> still = new HashMap<>();
    for (Job job : now.jobs()) {
      Integer settled = known.get(key(job));
      if (settled != null) {
        still.put(key(job), settled);
      }
    }
    known = still;
    for (Job job : now.jobs()) {
      long longestNs = JobWait.of(shares, job, nowNs).longestNs();
      if (waitsForItsFirst(shares, job) && longestNs >= settings.leastNs()) {
        attempts.run(job.reference(), attemptNs, () -> settle(job, longestNs, settings));
      }
    }
  }

  private static String key(Job job) {
    return job.reference() + " " + job.begunNs();
  }

  /** A job that has held memory may have done work. */
  private static boolean waitsForItsFirst(Shares shares, Job job) {
    return job.kind() == JobKind.SLURM
        && !job.ending()
        && job.heldNs() == 0
        && job.heldBytes().isEmpty()
        && shares.waits(job);
  }

  private void settle(Job job, long waitedNs, Settings settings) {
    Integer nodes = known.get(key(job));
    if (nodes != null && (nodes == 0 || waitedNs < settings.ns(nodes))) {
      return;
    }
    SlurmJob asked = slurm.job(job.id()).filter(SlurmJob::isRunning).orElse(null);
    if (asked == null) {
      return;
    }
    known.put(key(job), asked.nodes());
    if (waitedNs >= settings.ns(asked.nodes()) && stillWaits(job)) {
      known.put(key(job), 0);
      act(job, asked, waitedNs, settings);
    }
  }

  private boolean stillWaits(Job job) {
    RegionSnapshot now = fresh.get();
    Shares shares = new Shares(now);
    return now.jobs().stream()
        .anyMatch(other -> key(other).equals(key(job)) && waitsForItsFirst(shares, other));
  }

  private void act(Job job, SlurmJob asked, long waitedNs, Settings settings) {
    String waited = "waited %s for memory of %s".formatted(Texts.duration(waitedNs), node);
    switch (settings.action()) {
      case REQUEUE -> requeue(job, asked, waited, settings.ns(asked.nodes()));
      case FAIL -> {
        slurm.mark(asked, JobComment.PREFIX, waited + ", cancelled");
        slurm.cancel(asked);
        LOG.warn("cancel job={} uid={}: {}", job.reference(), job.uid(), waited);
      }
      case WAIT -> LOG.warn("wait job={} uid={}: {}", job.reference(), job.uid(), waited);
    }
  }

  private void requeue(Job job, SlurmJob asked, String waited, long limitNs) {
    if (slurm.hosts(asked.required()).contains(node)) {
      LOG.warn(
          "wait job={} uid={}: {}, and asks for this node: it is not requeued",
          job.reference(),
          job.uid(),
          waited);
      return;
    }
    long untilNs = RegionSnapshot.nowNs() + limitNs;
    exclusions.put(new Excluded(job.id(), untilNs, false));
    try {
      slurm.mark(asked, JobComment.PREFIX, waited + ", requeued");
      slurm.requeue(asked);
      LOG.warn("requeue job={} uid={}: {}", job.reference(), job.uid(), waited);
    } catch (AgentException refused) {
      exclusions.remove(job.id());
      LOG.warn(
          "wait job={} uid={}: {}, and cannot be requeued: {}",
          job.reference(),
          job.uid(),
          waited,
          refused.getMessage());
    }
  }
}
