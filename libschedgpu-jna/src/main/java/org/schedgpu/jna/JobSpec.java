package org.schedgpu.jna;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A job as the root side decided it (struct schedgpu_job_spec).
 *
 * @param kind where the id comes from
 * @param jobId Slurm's id, or one of {@code schedgpu run}
 * @param uid the user who may attach to it
 * @param priority 0 (low) to 100 (high)
 * @param mode when memory is reserved
 * @param processes how many of its processes use a device at once, 1 to 1024: their contexts are
 *     reserved with the first
 * @param owned the job ends when the handle that began it and all its processes are dead
 * @param waitNs how long its allocations wait, or {@link #FOREVER}
 * @param budgetBytes budget of each device of the job, by physical index; 0 = no budget, which only
 *     {@link Mode#ONDEMAND} allows
 * @param name for display
 * @param overflowWaits what is allocated beyond the budget waits for more memory instead of
 *     failing; {@link Mode#PEAK} only
 */
public record JobSpec(
    JobKind kind,
    long jobId,
    int uid,
    int priority,
    Mode mode,
    int processes,
    boolean owned,
    long waitNs,
    SortedMap<Integer, Long> budgetBytes,
    String name,
    boolean overflowWaits) {
  /** Waits without a limit. */
  public static final long FOREVER = -1;

  public JobSpec {
    budgetBytes = new TreeMap<>(budgetBytes);
  }

  /** A job whose requests beyond the budget fail. */
  public JobSpec(
      JobKind kind,
      long jobId,
      int uid,
      int priority,
      Mode mode,
      int processes,
      boolean owned,
      long waitNs,
      SortedMap<Integer, Long> budgetBytes,
      String name) {
    this(kind, jobId, uid, priority, mode, processes, owned, waitNs, budgetBytes, name, false);
  }

  /** The value of {@code SCHEDGPU_JOB} for its processes. */
  public String reference() {
    return kind.text() + ":" + jobId;
  }
}
