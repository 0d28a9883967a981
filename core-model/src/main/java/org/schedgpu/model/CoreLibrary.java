package org.schedgpu.model;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;

/**
 * The functions of {@code core-api/schedgpu_core.h}: the C core, driven in this process. The file
 * is named by the system property {@value #PROPERTY}.
 */
public final class CoreLibrary {
  /** System property that names the library. */
  public static final String PROPERTY = "schedgpu.core.library";

  /** No slot, no waiter. */
  public static final int NONE = -1;

  /** So many of the jobs that ended are told of. */
  public static final int ENDED = 8;

  /** Instead of a job's id: of the root side. */
  public static final long NO_JOB = -1;

  static {
    Native.register(
        CoreLibrary.class,
        NativeLibrary.getInstance(System.getProperty(PROPERTY, "schedgpu-core")));
  }

  private CoreLibrary() {}

  /** See schedgpu_core.h, as all that follow. */
  public static native int schedgpu_core_create(
      int deviceCount,
      long[] totalBytes,
      long[] reservedBytes,
      long[] contextBytes,
      int policy,
      int overtakeLimit,
      long graceNs,
      int deadlockRule,
      PointerByReference core);

  public static native void schedgpu_core_destroy(Pointer core);

  public static native int schedgpu_core_job_begin(
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

  public static native int schedgpu_core_job_end(Pointer core, long jobId, long nowNs);

  public static native int schedgpu_core_attach(Pointer core, long jobId);

  public static native long schedgpu_core_remove(Pointer core, int slot, long nowNs);

  public static native int schedgpu_core_ask(
      Pointer core,
      int slot,
      int device,
      long bytes,
      int kind,
      int mayWait,
      long nowNs,
      Pointer ticket);

  public static native int schedgpu_core_settle(Pointer core, int slot, long ticket, long nowNs);

  public static native int schedgpu_core_give_back(
      Pointer core, int slot, int device, long bytes, long nowNs);

  public static native int schedgpu_core_context_leave(
      Pointer core, int slot, int device, long nowNs);

  public static native int schedgpu_core_set_overrun(
      Pointer core, long jobId, int device, long bytes, long nowNs);

  public static native int schedgpu_core_set_foreign(
      Pointer core, int device, long bytes, long nowNs);

  public static native int schedgpu_core_policy_set(Pointer core, int policy, long nowNs);

  public static native void schedgpu_core_serve(Pointer core, long nowNs);

  public static native int schedgpu_core_read(Pointer core, Pointer words, int capacity);

  public static native int schedgpu_core_check(Pointer core, Pointer text, long size);
}
