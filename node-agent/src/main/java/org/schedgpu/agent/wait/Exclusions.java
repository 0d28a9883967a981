package org.schedgpu.agent.wait;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.history.Clock;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.slurm.SlurmJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps jobs that went back into the queue from this node, and lets them come back later. Slurm
 * takes the exclusion only while a job is pending; it starts no job for two minutes after it was
 * requeued, so there is time. The file survives a boot, or a job might stay excluded. The boot ends
 * all exclusions: the memory for which the jobs waited is free then.
 */
final class Exclusions {
  private static final Logger LOG = LoggerFactory.getLogger(Exclusions.class);

  private final SlurmControl slurm;
  private final String node;
  private final RecordFile file;
  private final String boot;
  private final Map<Long, Excluded> jobs = new LinkedHashMap<>();

  Exclusions(SlurmControl slurm, String node, Path file) {
    this(slurm, node, file, Clock.bootId());
  }

  Exclusions(SlurmControl slurm, String node, Path file, String boot) {
    this.boot = boot;
    this.slurm = slurm;
    this.node = node;
    this.file = new RecordFile(file, "rw-------");
    List<String> lines = this.file.lines();
    boolean thisBoot = lines.contains(boot);
    for (String line : lines) {
      Excluded.of(line).ifPresent(job -> jobs.put(job.id(), thisBoot ? job : job.until(0)));
    }
  }

  boolean isEmpty() {
    return jobs.isEmpty();
  }

  void put(Excluded job) {
    jobs.put(job.id(), job);
    save();
  }

  void remove(long id) {
    if (jobs.remove(id) != null) {
      save();
    }
  }

  /** Goes on with each job as far as Slurm allows. */
  void look(Attempts attempts, long nowNs, long clockNs) {
    for (Excluded job : List.copyOf(jobs.values())) {
      if (!job.done() || clockNs >= job.untilNs()) {
        attempts.run("slurm:" + job.id(), nowNs, () -> look(job, clockNs));
      }
    }
  }

  private void look(Excluded excluded, long clockNs) {
    Optional<SlurmJob> job = slurm.job(excluded.id());
    if (job.isEmpty() || isOver(job.get())) {
      remove(excluded.id());
    } else if (excluded.done()) {
      end(excluded, job.get(), clockNs);
    } else {
      begin(excluded, job.get());
    }
  }

  /** Of a job that is still ending on this node, nothing can be changed yet. */
  private static boolean isOver(SlurmJob job) {
    return !job.isPending() && !job.isRunning() && !job.state().equals("COMPLETING");
  }

  private void begin(Excluded excluded, SlurmJob job) {
    if (job.isPending()) {
      slurm.exclude(job, node, true);
      put(excluded.asDone());
      LOG.info("requeue job=slurm:{} excluded from {} for now", excluded.id(), node);
    } else if (job.isRunning()) {
      remove(excluded.id()); // it was faster
    }
  }

  private void end(Excluded excluded, SlurmJob job, long clockNs) {
    if (!job.isPending()) {
      put(
          excluded.until(
              clockNs + TimeUnit.MINUTES.toNanos(10))); // Slurm changes pending jobs only
      return;
    }
    slurm.exclude(job, node, false);
    remove(excluded.id());
    LOG.info("requeue job=slurm:{} may run on {} again", excluded.id(), node);
  }

  private void save() {
    StringBuilder text = new StringBuilder(boot).append('\n');
    jobs.values().forEach(job -> text.append(job.line()));
    file.write(text.toString());
  }
}
