package org.schedgpu.agent.history;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import org.schedgpu.jna.HasFigures;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Refusals;

/**
 * A job in the history. Times of day are nanoseconds since 1970 (UTC).
 *
 * @param row number in the history: grows from job to job; 0 = not written yet
 * @param kind {@code slurm} or {@code run}
 * @param id number among the jobs of its kind
 * @param name chosen by the user
 * @param user login name when the job was sampled, or the number of a user without one
 * @param mode {@code peak}, {@code ondemand} or {@code gate}
 * @param endedNs empty while it runs; for a lost job: when it was last seen
 * @param figures of all of it; while it runs: so far
 * @param refusals refused allocations of its programs
 * @param devices by index
 * @param lane how a lane job used its lane; empty for others, and for jobs that a version without
 *     lanes wrote
 * @param unscheduled empty: nothing of it was seen to run unscheduled
 */
public record JobRecord(
    long row,
    State state,
    String kind,
    long id,
    String name,
    int uid,
    String user,
    int priority,
    String mode,
    long begunNs,
    OptionalLong endedNs,
    JobFigures figures,
    Refusals refusals,
    SortedMap<Integer, DeviceUse> devices,
    Optional<LaneUse> lane,
    Optional<Unscheduled> unscheduled)
    implements HasFigures {

  /** A job of which nothing ran unscheduled. */
  public JobRecord(
      long row,
      State state,
      String kind,
      long id,
      String name,
      int uid,
      String user,
      int priority,
      String mode,
      long begunNs,
      OptionalLong endedNs,
      JobFigures figures,
      Refusals refusals,
      SortedMap<Integer, DeviceUse> devices,
      Optional<LaneUse> lane) {
    this(
        row,
        state,
        kind,
        id,
        name,
        uid,
        user,
        priority,
        mode,
        begunNs,
        endedNs,
        figures,
        refusals,
        devices,
        lane,
        Optional.empty());
  }

  /** A job without a lane. */
  public JobRecord(
      long row,
      State state,
      String kind,
      long id,
      String name,
      int uid,
      String user,
      int priority,
      String mode,
      long begunNs,
      OptionalLong endedNs,
      JobFigures figures,
      Refusals refusals,
      SortedMap<Integer, DeviceUse> devices) {
    this(
        row,
        state,
        kind,
        id,
        name,
        uid,
        user,
        priority,
        mode,
        begunNs,
        endedNs,
        figures,
        refusals,
        devices,
        Optional.empty());
  }

  /** What is known of its end. */
  public enum State {
    /** It has not ended. */
    RUNNING,
    /** It has ended. */
    ENDED,
    /** Its end was not seen: the node went down, or the region was removed. */
    LOST;

    /** As one word in lower case. */
    public String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /**
   * What a job asked for and used on one device.
   *
   * @param requestedBytes its budget; 0 = none declared
   * @param peakBytes the most that its programs had allocated
   * @param contextPeakBytes the most of its CUDA contexts; empty in a record of an older agent,
   *     which counted them in the peak
   */
  public record DeviceUse(long requestedBytes, long peakBytes, OptionalLong contextPeakBytes) {
    /**
     * The most that its programs had allocated. An old record does not say how many contexts were
     * counted: at least one existed.
     *
     * @param contextBytes of one CUDA context
     */
    public long usedBytes(long contextBytes) {
      return contextPeakBytes.isPresent() ? peakBytes : Math.max(0, peakBytes - contextBytes);
    }
  }

  /** As in {@code SCHEDGPU_JOB}. */
  public String reference() {
    return kind + ":" + id;
  }

  /** From its beginning to its end; empty while it runs. */
  public OptionalLong lastedNs() {
    return endedNs.isPresent()
        ? OptionalLong.of(Math.max(0, endedNs.getAsLong() - begunNs))
        : OptionalLong.empty();
  }
}
