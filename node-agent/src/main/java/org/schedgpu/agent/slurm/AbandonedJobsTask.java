package org.schedgpu.agent.slurm;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.process.JobEvidence;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a job whose epilog did not run. Two conditions must hold: nothing of the job has been alive
 * on this node for LeftJobGrace, and slurmctld says that the job is over. Both are needed, because
 * an allocation without a step has no process, and a controller may be wrong about a node. The
 * prolog's records of the job are removed, too. A job of {@code schedgpu run} ends by itself.
 */
public final class AbandonedJobsTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedJobsTask.class);
  private static final long MAX_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int LOOKS_IN_GRACE = 4;

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private final JobEvidence evidence;
  private final SlurmQueue slurm;
  private final StaleSluids sluids;

  /** Since when nothing of it has been alive, by reference and begin. */
  private Map<String, Long> emptySinceNs = new HashMap<>();

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param conf gives the current configuration
   * @param evidence of processes of this machine
   * @param slurm asked by that thread, which waits for the answer
   */
  public AbandonedJobsTask(
      RegionAccess access, Supplier<Conf> conf, JobEvidence evidence, SlurmQueue slurm) {
    this.access = access;
    this.conf = conf;
    this.evidence = evidence;
    this.slurm = slurm;
    this.sluids = new StaleSluids(Sluids.in(access.runDir()), slurm);
  }

  @Override
  public String name() {
    return "left-jobs";
  }

  @Override
  public long run(long nowNs) {
    OptionalLong graceNs = conf.get().leftJobGraceNs();
    if (graceNs.isEmpty() || !evidence.isComplete()) {
      emptySinceNs.clear();
      return MAX_NS;
    }
    access.region().ifPresent(region -> look(region, graceNs.getAsLong(), nowNs));
    return Math.min(MAX_NS, graceNs.getAsLong() / LOOKS_IN_GRACE);
  }

  private void look(SchedGpu region, long graceNs, long nowNs) {
    try {
      RegionSnapshot snapshot = access.liveSnapshot();
      Set<String> living = snapshot.jobs().isEmpty() ? Set.of() : evidence.living(snapshot);
      Map<String, Long> now = new HashMap<>();
      for (Job job : snapshot.jobs()) {
        if (job.kind() == JobKind.SLURM && !living.contains(job.reference())) {
          String key = job.reference() + " " + job.begunNs();
          long sinceNs = emptySinceNs.getOrDefault(key, nowNs);
          now.put(key, nowNs - sinceNs >= graceNs ? settle(region, job, nowNs) : sinceNs);
        }
      }
      emptySinceNs = now;
      sluids.look(snapshot, graceNs, nowNs);
    } catch (SchedGpuException problem) {
      access.failed(problem);
      throw problem;
    }
  }

  /** Whatever Slurm answers, it is asked again only after another grace period. */
  private long settle(SchedGpu region, Job job, long nowNs) {
    SlurmQueue.Answer answer = slurm.ask(job.id());
    if (answer == SlurmQueue.Answer.OVER && isStillThere(region, job)) {
      region.jobEnd(job.kind(), job.id());
      sluids.ended(job.id());
      LOG.warn(
          "left job={} uid={} ended: nothing of it is alive here, Slurm says it is over,"
              + " and its epilog did not run",
          job.reference(),
          job.uid());
    } else {
      LOG.debug("left job={}: nothing of it is alive here, Slurm says {}", job.reference(), answer);
    }
    return nowNs;
  }

  /** A new job may have got the number while Slurm was asked. */
  private static boolean isStillThere(SchedGpu region, Job job) {
    RegionSnapshot now = region.liveSnapshot();
    return now.jobs().stream()
            .anyMatch(
                other ->
                    other.reference().equals(job.reference()) && other.begunNs() == job.begunNs())
        && now.clients().stream()
            .noneMatch(client -> client.job().equals(java.util.Optional.of(job.record())));
  }
}
