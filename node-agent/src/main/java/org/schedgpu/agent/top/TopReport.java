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
 * @param clock time of the day, to be shown
 * @param policy name of the region's policy
 * @param devices by index
 * @param jobs those that the viewer may see
 * @param waiters in queue order: by device, then as the policy looks at them
 * @param others jobs and requests of others that are not shown one by one
 * @param problem why there is nothing, or "" if there is
 */
public record TopReport(
    String node,
    String clock,
    String policy,
    List<DeviceRow> devices,
    List<JobRow> jobs,
    List<WaiterRow> waiters,
    Others others,
    String problem) {

  /** Nothing to see, and why: the region may come back. */
  public static TopReport nothing(String node, String clock, String problem) {
    return new TopReport(
        node, clock, "", List.of(), List.of(), List.of(), new Others(0, 0, 0), problem);
  }

  /**
   * A device. All of its memory is one of these, in bytes:
   *
   * @param inUseBytes allocated by processes of jobs
   * @param idleBytes reserved for jobs, and not in use
   * @param otherBytes CUDA contexts, what is granted and not yet taken, and outside memory
   * @param freeBytes for whoever asks next
   * @param usableBytes what jobs can have
   * @param nvmlUsedBytes in use as NVML sees it
   * @param utilisationPercent as NVML sees it
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
   * @param peakBytes most that it had in use
   * @param state {@code holds}, {@code waits}, {@code idle} or {@code ending}
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
      long runningNs) {}

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

  /** Sums over what is not shown. */
  public record Others(int jobs, long heldBytes, int waiting) {
    /** For people; empty if there is nobody. */
    Optional<String> text(String held) {
      return jobs == 0 && waiting == 0
          ? Optional.empty()
          : Optional.of(
              "other users: %d job%s, %s GiB held, %d waiting"
                  .formatted(jobs, jobs == 1 ? "" : "s", held, waiting));
    }
  }
}
