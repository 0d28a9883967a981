package org.schedgpu.jna;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;
import java.util.List;

/**
 * Serves the clients of a region that only root may write ({@code schedgpu/broker.h}). One thread
 * calls {@link #run}. Other threads may call {@link #stop} and {@link #count}; {@link #close} only
 * after {@code run} has returned.
 */
public final class Broker implements AutoCloseable {
  private final Path runDir;
  private final Pointer broker;

  private Broker(Path runDir, Pointer broker) {
    this.runDir = runDir;
    this.broker = broker;
  }

  /**
   * False if the kernel lacks {@code pidfd_open} (before Linux 5.3), or a filter of system calls
   * refuses it: then {@link #open} fails. Thread-safe.
   */
  public static boolean isSupported() {
    CLibrary.load();
    return CApi.schedgpu_broker_supported() == ErrorCode.OK.number();
  }

  /**
   * Opens the region of {@code runDir} and listens there.
   *
   * @throws SchedGpuException EINUSE: another process already serves there
   */
  public static Broker open(Path runDir) {
    CLibrary.load();
    PointerByReference broker = new PointerByReference();
    SchedGpu.check(
        CApi.schedgpu_broker_open(runDir.toString(), null, broker), "serve clients in " + runDir);
    return new Broker(runDir, broker.getValue());
  }

  /**
   * Sets a limit.
   *
   * @param name as in {@code struct schedgpu_broker_limits}
   */
  public void limit(String name, int value) {
    SchedGpu.check(CApi.schedgpu_broker_set_limit(broker, name, value), "set the limit " + name);
  }

  /**
   * The limits of jobs that users begin themselves, from schedgpu.conf. May be called from any
   * thread.
   *
   * @param defaultMem budget of a job that names none; "": none
   * @param above users who may go beyond {@code maxPriority}
   */
  public void terms(String defaultMem, String maxMem, int maxPriority, List<Integer> above) {
    int[] uids = above.stream().mapToInt(Integer::intValue).toArray();
    SchedGpu.check(
        CApi.schedgpu_broker_set_terms(broker, defaultMem, maxMem, maxPriority, uids, uids.length),
        "set what jobs of users may have");
  }

  /**
   * Whether jobs that users begin themselves may have a lane or a share, and the largest share. May
   * be called from any thread.
   */
  public void lanes(boolean lanes, int maxShare) {
    CApi.schedgpu_broker_set_lanes(broker, lanes ? 1 : 0, maxShare);
  }

  /**
   * User ids that belong to other users: the {@code count[i]} ids from {@code first[i]} on count as
   * {@code owner[i]} wherever a user's share is counted. Replaces all earlier ranges. May be called
   * from any thread.
   *
   * @throws SchedGpuException EINVAL: more than 4096 ranges
   */
  public void subordinates(int[] first, int[] count, int[] owner) {
    SchedGpu.check(
        CApi.schedgpu_broker_set_subordinates(broker, first, count, owner, first.length),
        "set whose subordinate user ids are");
  }

  /**
   * The user whose share a user id counts to, according to such ranges. The rule is that of {@link
   * #subordinates}, for callers that count shares themselves. Thread-safe.
   */
  public static int shareOwner(int uid, int[] first, int[] count, int[] owner) {
    return CApi.schedgpu_share_owner(uid, first, count, owner, first.length);
  }

  /** A number of {@code struct schedgpu_broker_stats}; -1 if it has no such name. */
  public long count(String name) {
    return CApi.schedgpu_broker_count(broker, name);
  }

  /** Serves until {@link #stop}; throws ENOREGION when the region was removed or replaced. */
  public void run() {
    SchedGpu.check(CApi.schedgpu_broker_run(broker), "serve clients in " + runDir);
  }

  /** Makes {@link #run} return, now or as soon as it is called. */
  public void stop() {
    CApi.schedgpu_broker_stop(broker);
  }

  /** Reservations stay; clients continue when the next broker listens. */
  @Override
  public void close() {
    CApi.schedgpu_broker_close(broker);
  }
}
