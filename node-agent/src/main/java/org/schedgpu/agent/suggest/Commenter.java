package org.schedgpu.agent.suggest;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Decides when the agent writes a job's usage into the job's comment. Slurm takes no comment for a
 * job that has ended, so the agent writes while the job runs: soon after it used memory, after its
 * last program on this node has ended, and at growing intervals in between.
 */
public final class Commenter implements AutoCloseable {
  private static final int AGE_PARTS = 8;
  private static final long SHORTEST_NS = TimeUnit.SECONDS.toNanos(5);

  private final CommentQueue queue;
  private final Thread thread;
  private Map<Long, Told> told = new HashMap<>();

  private record Told(String text, long atNs) {}

  /**
   * Starts its thread.
   *
   * @param conf read again for each connection
   */
  public Commenter(Supplier<Conf> conf) {
    this(new CommentQueue(() -> SlurmJobs.connect(conf.get())));
    thread.start();
  }

  Commenter(CommentQueue queue) {
    this.queue = queue;
    thread = new Thread(queue::run, "slurm-comment");
    thread.setDaemon(true);
  }

  /** Processes a snapshot of the region. */
  public void look(RegionSnapshot now, long nowNs) {
    Map<Long, Told> next = new HashMap<>();
    Shares shares = new Shares(now);
    for (Job job : now.jobs()) {
      if (job.kind() == JobKind.SLURM) {
        next.put(job.id(), told(shares, job, nowNs));
      }
    }
    for (EndedJob job : now.ended()) {
      Told last = told.get(job.id());
      if (job.kind() == JobKind.SLURM && last != null && !next.containsKey(job.id())) {
        offer(
            job.id(),
            last.text(),
            JobComment.of(job.budgetBytes(), job.peakBytes(), job.waitedNs(), job.refusals()));
      }
    }
    told = next;
  }

  private Told told(Shares shares, Job job, long nowNs) {
    Told last = told.getOrDefault(job.id(), new Told("", job.begunNs()));
    boolean idle = shares.clients(job).isEmpty();
    long pauseNs = Math.max(SHORTEST_NS, (nowNs - job.begunNs()) / AGE_PARTS);
    if (!last.text().isEmpty() && !idle && nowNs - last.atNs() < pauseNs) {
      return last;
    }
    String text = JobComment.of(job.budgetBytes(), job.peakBytes(), job.waitedNs(), job.refusals());
    return offer(job.id(), last.text(), text) ? new Told(text, nowNs) : last;
  }

  private boolean offer(long job, String last, String text) {
    if (text.isEmpty() || text.equals(last)) {
      return false;
    }
    queue.offer(job, text);
    return true;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
