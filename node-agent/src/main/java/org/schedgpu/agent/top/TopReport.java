package org.schedgpu.agent.top;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.schedgpu.agent.forecast.Estimate;

/**
 * What {@code schedgpu top} shows at one moment.
 *
 * @param node name of this node
 * @param clock the shown time of day
 * @param policy name of the region's policy
 * @param devices by index
 * @param jobs those that the principal may see
 * @param waiters in queue order: by device, then in the order of the policy
 * @param lanes by record
 * @param others jobs and requests of others, which are not shown one by one
 * @param problem why there is no content, or "" if there is
 */
public record TopReport(
    String node,
    String clock,
    String policy,
    List<DeviceRow> devices,
    List<JobRow> jobs,
    List<WaiterRow> waiters,
    List<LaneRow> lanes,
    Others others,
    String problem) {

  /** An empty report with the reason, which may be temporary. */
  public static TopReport nothing(String node, String clock, String problem) {
    return new TopReport(
        node, clock, "", List.of(), List.of(), List.of(), List.of(), new Others(0, 0, 0), problem);
  }

  /**
   * A device. Each byte of its memory counts as one of these:
   *
   * @param inUseBytes allocated by processes of jobs
   * @param idleBytes reserved for jobs, and not in use
   * @param otherBytes CUDA contexts, grants that are not taken yet, and unreserved memory
   * @param freeBytes for the next request
   * @param usableBytes what jobs can have
   * @param nvmlUsedBytes in use according to NVML
   * @param utilisationPercent according to NVML
   */
  public record DeviceRow(
      int index,
      String uuid,
      String name,
      boolean emulated,
      long inUseBytes,
      long idleBytes,
      long otherBytes,
      long freeBytes,
      long usableBytes,
      OptionalLong nvmlUsedBytes,
      OptionalInt utilisationPercent,
      int jobs,
      int waiting) {}

  /**
   * A job.
   *
   * @param devices its own, and those that it uses
   * @param heldBytes reserved for the job, on all devices
   * @param peakBytes the most that it had in use, without contexts
   * @param state {@code has turn} or {@code waits}, of a lane job also for its turn; {@code holds},
   *     {@code idle}, {@code stopped}, {@code ending} or {@code dead}
   * @param share weight of a lane job; empty for others
   * @param unscheduled each program of it that uses a device without being attached to the region
   */
  public record JobRow(
      String job,
      int uid,
      String user,
      String name,
      int priority,
      String mode,
      String state,
      Set<Integer> devices,
      long heldBytes,
      long inUseBytes,
      OptionalLong peakBytes,
      long runningNs,
      OptionalLong share,
      List<String> unscheduled) {}

  /**
   * A request that waits.
   *
   * @param place in its queue by age, 1 = oldest
   * @param asksBytes on its device
   * @param why in words
   */
  public record WaiterRow(
      String job,
      int uid,
      String user,
      String name,
      int priority,
      int device,
      Set<Integer> devices,
      String subject,
      int place,
      long asksBytes,
      long waitedNs,
      String why,
      Estimate estimate) {}

  /**
   * A lane.
   *
   * @param jobs that are assigned to it
   * @param waiting processes that wait for its turn
   * @param turnOf the job that has the turn; empty: nobody
   * @param turnNs since when that job is in its iteration, or was in its last one
   */
  public record LaneRow(
      int lane,
      int device,
      String policy,
      long bytes,
      long jobs,
      long waiting,
      long switches,
      Optional<String> turnOf,
      long turnNs) {}

  /** Sums over the hidden jobs and requests. */
  public record Others(int jobs, long heldBytes, int waiting) {
    /** As text; empty if there are none. */
    Optional<String> text(String held) {
      return jobs == 0 && waiting == 0
          ? Optional.empty()
          : Optional.of(
              "other users: %d job%s, %s GiB held, %d waiting"
                  .formatted(jobs, jobs == 1 ? "" : "s", held, waiting));
    }
  }
}
