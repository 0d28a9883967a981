package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/**
 * The cores of the nodes of one simulation: functions of {@code core-api/schedgpu_core_batch.h}. A
 * node's core is made when it is first used. Sizes are bytes, times nanoseconds of a clock that the
 * caller moves. Errors are negative numbers of {@link ErrorCode}, except where said.
 *
 * <p>Thread-safety: none; several simulations, each with its own cores, may run at the same time.
 */
public final class NodeCores implements AutoCloseable {
  /** Processes that a node can have at once. */
  public static final int SLOTS = 1024 + 64;

  private static final long NO_GRACE_NS = 0;

  private final Pointer[] cores;
  private final Memory progress = new Memory(3L * Long.BYTES);
  private final Memory slots = new Memory((long) SLOTS * Integer.BYTES);
  private final int policy;
  private final int overtakeLimit;

  private static final class Functions {
    static {
      Native.register(
          Functions.class, NativeLibrary.getInstance(CoreFile.find().orElseThrow().toString()));
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

    static native int schedgpu_core_enter(
        Pointer core,
        long jobId,
        int priority,
        int deviceMask,
        long bytes,
        long nowNs,
        Pointer progress);

    static native int schedgpu_core_resume(Pointer core, int slot, long nowNs, Pointer progress);

    static native int schedgpu_core_leave(Pointer core, int slot, long jobId, long nowNs);

    static native int schedgpu_core_granted(Pointer core, Pointer slots, int capacity);

    static native int schedgpu_core_check(Pointer core, Pointer text, long size);
  }

  /**
   * @param nodes how many nodes there are, numbered from 0
   * @param overtakeLimit as in schedgpu.conf; 0 for none
   * @throws LibraryNotFoundException if the core is not installed
   */
  public NodeCores(int nodes, Policy policy, int overtakeLimit) {
    if (CoreFile.find().isEmpty()) {
      throw new LibraryNotFoundException(CoreFile.notFound(), null);
    }
    this.cores = new Pointer[nodes];
    this.policy = policy.number();
    this.overtakeLimit = overtakeLimit;
  }

  /** Makes the core of a node, with its devices, if there is none yet. */
  public void make(int node, long[] totalBytes, long[] contextBytes) {
    if (cores[node] != null) {
      return;
    }
    PointerByReference made = new PointerByReference();
    int rc =
        Functions.schedgpu_core_create(
            totalBytes.length,
            totalBytes,
            new long[totalBytes.length],
            contextBytes,
            policy,
            overtakeLimit,
            NO_GRACE_NS,
            DeadlockRule.AVOID.number(),
            made);
    if (rc != 0) {
      throw new IllegalStateException("schedgpu_core_create: " + ErrorCode.of(rc));
    }
    cores[node] = made.getValue();
  }

  /**
   * A job comes to a node, with one process, and asks for contexts and memory on its devices.
   *
   * @param bytes that it asks for on each device of the mask, at least 1
   * @param wait the place of the process's wait: filled
   * @return the slot of the process, or an error
   */
  public int enter(
      int node, long jobId, int priority, int deviceMask, long bytes, long nowNs, Wait wait) {
    int slot =
        Functions.schedgpu_core_enter(
            cores[node], jobId, priority, deviceMask, bytes, nowNs, progress);
    wait.readFrom(progress);
    return slot;
  }

  /**
   * A process whose request was granted goes on: 0 or an error; the wait says if it waits again.
   */
  public int resume(int node, int slot, long nowNs, Wait wait) {
    wait.writeTo(progress);
    int rc = Functions.schedgpu_core_resume(cores[node], slot, nowNs, progress);
    wait.readFrom(progress);
    return rc;
  }

  /** The process of a slot goes and its job ends: 0 or an error. */
  public int leave(int node, int slot, long jobId, long nowNs) {
    return Functions.schedgpu_core_leave(cores[node], slot, jobId, nowNs);
  }

  /** The slots whose requests the last call granted on this node, in the order of the grants. */
  public int[] granted(int node) {
    int count = Functions.schedgpu_core_granted(cores[node], slots, SLOTS);
    return count <= 0 ? new int[0] : slots.getIntArray(0, count);
  }

  /** Which invariant of a node's core is broken; "" if none is. */
  public String check(int node) {
    try (Memory text = new Memory(256)) {
      return Functions.schedgpu_core_check(cores[node], text, text.size()) == 0
          ? ""
          : text.getString(0);
    }
  }

  @Override
  public void close() {
    for (int node = 0; node < cores.length; node++) {
      if (cores[node] != null) {
        Functions.schedgpu_core_destroy(cores[node]);
        cores[node] = null;
      }
    }
    progress.close();
    slots.close();
  }

  /** How far a process has come with its requests on one node. */
  public static final class Wait {
    private long ticket;
    private long step;
    private long bytes;

    /** Whether a request of it waits. */
    public boolean waits() {
      return ticket != 0;
    }

    private void readFrom(Memory progress) {
      ticket = progress.getLong(0);
      step = progress.getLong(Long.BYTES);
      bytes = progress.getLong(2L * Long.BYTES);
    }

    private void writeTo(Memory progress) {
      progress.setLong(0, ticket);
      progress.setLong(Long.BYTES, step);
      progress.setLong(2L * Long.BYTES, bytes);
    }
  }
}
