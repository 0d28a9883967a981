package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.nio.LongBuffer;

/**
 * A core that this process drives with its own clock, for the tests of the rules and the papers.
 * Names, arguments, units and errors are those of {@code core-api/schedgpu_core.h}: a negative
 * result is an error. The system property {@value #PROPERTY} names the file. One thread at a time
 * drives a core, and reads the words that it has filled.
 */
public final class CoreLibrary implements AutoCloseable {
  /** System property that names the library. */
  public static final String PROPERTY = "schedgpu.core.library";

  /** No slot, no waiter. */
  public static final int NONE = -1;

  /** The number of ended jobs that the region keeps. */
  public static final int ENDED = 8;

  /** In place of a job's id: the process is of the root side. */
  public static final long NO_JOB = -1;

  private static final int WORDS = 4096;
  private static final int TEXT_BYTES = 256;
  private static final int WOKEN = 2 * NodeCores.SLOTS;
  private static final int[] NOBODY = {};

  private static final ThreadLocal<Memory> BUFFER = words(WORDS);
  private static final ThreadLocal<Memory> LANES = words(WORDS);
  private static final ThreadLocal<Memory> TEXT = words(TEXT_BYTES / Long.BYTES);
  private static final ThreadLocal<Memory> TICKET = words(1);
  private static final ThreadLocal<Memory> SLOTS = words(WOKEN);

  private static ThreadLocal<Memory> words(int count) {
    return ThreadLocal.withInitial(() -> new Memory((long) count * Long.BYTES));
  }

  private final Pointer core;

  private static final class Functions {
    static {
      Native.register(
          Functions.class,
          NativeLibrary.getInstance(System.getProperty(PROPERTY, "schedgpu-core")));
    }

    private Functions() {}

    static native int schedgpu_core_create(
        int deviceCount,
        long[] totalBytes,
        long[] reservedBytes,
        long[] contextBytes,
        int policy,
        int overtakeLimit,
        long graceNs,
        int deadlockRule,
        PointerByReference core);

    static native void schedgpu_core_destroy(Pointer core);

    static native int schedgpu_core_job_begin(
        Pointer core,
        long jobId,
        int uid,
        int mode,
        int overflowWaits,
        long[] budgetBytes,
        int priority,
        int processes,
        int deviceMask,
        int ownerSlot,
        long nowNs);

    static native int schedgpu_core_job_end(Pointer core, long jobId, long nowNs);

    static native int schedgpu_core_attach(Pointer core, long jobId);

    static native long schedgpu_core_remove(Pointer core, int slot, long nowNs);

    static native int schedgpu_core_ask(
        Pointer core,
        int slot,
        int device,
        long bytes,
        int kind,
        int mayWait,
        long nowNs,
        Pointer ticket);

    static native int schedgpu_core_settle(Pointer core, int slot, long ticket, long nowNs);

    static native int schedgpu_core_give_back(
        Pointer core, int slot, int device, long bytes, long nowNs);

    static native int schedgpu_core_context_leave(Pointer core, int slot, int device, long nowNs);

    static native int schedgpu_core_set_overrun(
        Pointer core, long jobId, int device, long bytes, long nowNs);

    static native int schedgpu_core_set_foreign(Pointer core, int device, long bytes, long nowNs);

    static native int schedgpu_core_policy_set(Pointer core, int policy, long nowNs);

    static native void schedgpu_core_serve(Pointer core, long nowNs);

    static native int schedgpu_core_read(Pointer core, Pointer words, int capacity);

    static native int schedgpu_core_lane_job_begin(
        Pointer core,
        long jobId,
        int uid,
        int device,
        long budgetBytes,
        long persistentBytes,
        int policy,
        int share,
        long lengthNs,
        int priority,
        long nowNs);

    static native int schedgpu_core_turn_settle(Pointer core, int slot, long nowNs);

    static native int schedgpu_core_turn_end(Pointer core, int slot, long nowNs);

    static native int schedgpu_core_lane_share(Pointer core, int slot);

    static native int schedgpu_core_lane_map(Pointer core, int slot, long bytes, long nowNs);

    static native int schedgpu_core_look(Pointer core, long nowNs);

    static native int schedgpu_core_iteration_begin(Pointer core, int slot, int device, long nowNs);

    static native int schedgpu_core_iteration_end(Pointer core, int slot, long nowNs);

    static native int schedgpu_core_lane_job_end(Pointer core, int slot, long jobId, long nowNs);

    static native int schedgpu_core_lanes_limit(Pointer core, int lanes);

    static native int schedgpu_core_woken(Pointer core, Pointer slots, int capacity);

    static native int schedgpu_core_quantum_set(Pointer core, long quantumNs);

    static native int schedgpu_core_read_lanes(Pointer core, Pointer words, int capacity);

    static native int schedgpu_core_check(Pointer core, Pointer text, long size);
  }

  /** Makes one. */
  public CoreLibrary(
      long[] totalBytes,
      long[] reservedBytes,
      long[] contextBytes,
      int policy,
      int overtakeLimit,
      long graceNs,
      int deadlockRule) {
    PointerByReference made = new PointerByReference();
    int rc =
        Functions.schedgpu_core_create(
            totalBytes.length,
            totalBytes,
            reservedBytes,
            contextBytes,
            policy,
            overtakeLimit,
            graceNs,
            deadlockRule,
            made);
    if (rc != 0) {
      throw new IllegalStateException("schedgpu_core_create: " + rc);
    }
    core = made.getValue();
  }

  @Override
  public void close() {
    Functions.schedgpu_core_destroy(core);
  }

  public int jobBegin(
      long jobId,
      int uid,
      int mode,
      boolean overflowWaits,
      long[] budgetBytes,
      int priority,
      int processes,
      int deviceMask,
      int ownerSlot,
      long nowNs) {
    return Functions.schedgpu_core_job_begin(
        core,
        jobId,
        uid,
        mode,
        overflowWaits ? 1 : 0,
        budgetBytes,
        priority,
        processes,
        deviceMask,
        ownerSlot,
        nowNs);
  }

  public int jobEnd(long jobId, long nowNs) {
    return Functions.schedgpu_core_job_end(core, jobId, nowNs);
  }

  /** The slot, or an error. */
  public int attach(long jobId) {
    return Functions.schedgpu_core_attach(core, jobId);
  }

  public long remove(int slot, long nowNs) {
    return Functions.schedgpu_core_remove(core, slot, nowNs);
  }

  public int ask(int slot, int device, long bytes, int kind, boolean mayWait, long nowNs) {
    return Functions.schedgpu_core_ask(
        core, slot, device, bytes, kind, mayWait ? 1 : 0, nowNs, TICKET.get());
  }

  /** The ticket of the last request; 0 if it was not queued. */
  public long ticket() {
    return TICKET.get().getLong(0);
  }

  public int settle(int slot, long ticket, long nowNs) {
    return Functions.schedgpu_core_settle(core, slot, ticket, nowNs);
  }

  public int giveBack(int slot, int device, long bytes, long nowNs) {
    return Functions.schedgpu_core_give_back(core, slot, device, bytes, nowNs);
  }

  public int contextLeave(int slot, int device, long nowNs) {
    return Functions.schedgpu_core_context_leave(core, slot, device, nowNs);
  }

  public int setOverrun(long jobId, int device, long bytes, long nowNs) {
    return Functions.schedgpu_core_set_overrun(core, jobId, device, bytes, nowNs);
  }

  public int setForeign(int device, long bytes, long nowNs) {
    return Functions.schedgpu_core_set_foreign(core, device, bytes, nowNs);
  }

  public int policySet(int policy, long nowNs) {
    return Functions.schedgpu_core_policy_set(core, policy, nowNs);
  }

  public void serve(long nowNs) {
    Functions.schedgpu_core_serve(core, nowNs);
  }

  public int laneJobBegin(
      long jobId,
      int uid,
      int device,
      long budgetBytes,
      long persistentBytes,
      int policy,
      int share,
      long lengthNs,
      int priority,
      long nowNs) {
    return Functions.schedgpu_core_lane_job_begin(
        core,
        jobId,
        uid,
        device,
        budgetBytes,
        persistentBytes,
        policy,
        share,
        lengthNs,
        priority,
        nowNs);
  }

  public int turnSettle(int slot, long nowNs) {
    return Functions.schedgpu_core_turn_settle(core, slot, nowNs);
  }

  public int turnEnd(int slot, long nowNs) {
    return Functions.schedgpu_core_turn_end(core, slot, nowNs);
  }

  public int laneShare(int slot) {
    return Functions.schedgpu_core_lane_share(core, slot);
  }

  /** The process maps so much of its shared lane. */
  public int laneMap(int slot, long bytes, long nowNs) {
    return Functions.schedgpu_core_lane_map(core, slot, bytes, nowNs);
  }

  public int look(long nowNs) {
    return Functions.schedgpu_core_look(core, nowNs);
  }

  public int iterationBegin(int slot, int device, long nowNs) {
    return Functions.schedgpu_core_iteration_begin(core, slot, device, nowNs);
  }

  public int iterationEnd(int slot, long nowNs) {
    return Functions.schedgpu_core_iteration_end(core, slot, nowNs);
  }

  /** The only process of a job, and the job, end. */
  public int laneJobEnd(int slot, long jobId, long nowNs) {
    return Functions.schedgpu_core_lane_job_end(core, slot, jobId, nowNs);
  }

  public int lanesLimit(int lanes) {
    return Functions.schedgpu_core_lanes_limit(core, lanes);
  }

  /** The slots of the processes to which the last call granted memory or gave a turn. */
  public int[] woken() {
    Memory slots = SLOTS.get();
    int count = Functions.schedgpu_core_woken(core, slots, WOKEN);
    return count == 0 ? NOBODY : slots.getIntArray(0, count);
  }

  public int quantumSet(long quantumNs) {
    return Functions.schedgpu_core_quantum_set(core, quantumNs);
  }

  /** The words that {@link #readLanes} fills: the same for all cores of a thread. */
  public static LongBuffer laneWords() {
    Memory words = LANES.get();
    return words.getByteBuffer(0, words.size()).asLongBuffer();
  }

  /** Fills {@link #laneWords} with the present state of the lanes. */
  public void readLanes() {
    if (Functions.schedgpu_core_read_lanes(core, LANES.get(), WORDS) < 0) {
      throw new IllegalStateException("more lanes than fit into " + WORDS + " words");
    }
  }

  /** The names of the words that {@link #read} fills: the same for all cores of a thread. */
  public static LongBuffer words() {
    Memory words = BUFFER.get();
    return words.getByteBuffer(0, words.size()).asLongBuffer();
  }

  /** Fills {@link #words} with the present state. */
  public void read() {
    if (Functions.schedgpu_core_read(core, BUFFER.get(), WORDS) < 0) {
      throw new IllegalStateException("more state than " + WORDS + " words");
    }
  }

  /** The broken invariant; "" if none is broken. */
  public String check() {
    Memory text = TEXT.get();
    return Functions.schedgpu_core_check(core, text, TEXT_BYTES) == 0 ? "" : text.getString(0);
  }
}
