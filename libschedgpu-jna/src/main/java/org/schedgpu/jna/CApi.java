package org.schedgpu.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;

/**
 * libschedgpu's functions, names and arguments as in {@code schedgpu/admin.h} and its client API.
 */
final class CApi {
  static {
    Path library =
        LibraryFinder.find()
            .orElseThrow(() -> new LibraryNotFoundException(LibraryFinder.notFound(), null));
    try {
      Native.register(CApi.class, NativeLibrary.getInstance(library.toString()));
    } catch (UnsatisfiedLinkError problem) {
      throw new LibraryNotFoundException(
          "schedgpu: "
              + library
              + " cannot be used ("
              + problem.getMessage()
              + "): install libschedgpu and schedgpu of one version",
          problem);
    }
  }

  private CApi() {}

  static native int schedgpu_admin_setup(String runDir, Pointer setup);

  static native int schedgpu_admin_remove(String runDir, int force);

  static native int schedgpu_admin_other_layout(
      String runDir, IntByReference version, LongByReference processes);

  static native int schedgpu_admin_region_info(Pointer admin, Pointer info);

  static native int schedgpu_admin_open(String runDir, PointerByReference admin);

  static native void schedgpu_admin_close(Pointer admin);

  static native void schedgpu_admin_set_timeout(Pointer admin, long timeoutNs);

  static native int schedgpu_admin_lock_holder(Pointer admin, byte[] state);

  static native int schedgpu_admin_job_begin(Pointer admin, Pointer spec);

  static native int schedgpu_admin_job_end(Pointer admin, int kind, long jobId);

  static native int schedgpu_admin_job_find(Pointer admin, int kind, long jobId, Pointer spec);

  static native int schedgpu_admin_reap(Pointer admin, Pointer reaped);

  static native int schedgpu_admin_dead(Pointer admin);

  static native int schedgpu_admin_dead_of_root(Pointer admin);

  static native long schedgpu_admin_changes(Pointer admin);

  static native int schedgpu_admin_set_overrun(
      Pointer admin, int kind, long jobId, int device, long bytes);

  static native int schedgpu_admin_set_foreign(Pointer admin, int device, long bytes);

  static native int schedgpu_admin_note_peaks(Pointer admin);

  static native int schedgpu_admin_answer(Pointer admin);

  static native int schedgpu_admin_set_policy(Pointer admin, int policy);

  static native long schedgpu_snapshot_size();

  static native int schedgpu_admin_snapshot(Pointer admin, Pointer buffer, long size);

  static native long schedgpu_layout_find(String name);

  static native String schedgpu_layout_name(int i);

  static native int schedgpu_admin_check(Pointer admin, byte[] text, long size);

  static native int schedgpu_conf_parse(
      String path,
      byte[] text,
      long length,
      byte[] said,
      long saidSize,
      byte[] error,
      long errorSize);

  static native int schedgpu_conf_parse_devices(
      String path,
      byte[] text,
      long length,
      String node,
      Pointer setup,
      byte[] error,
      long errorSize);

  static native String schedgpu_policy_name(int policy);

  static native int schedgpu_policy_of_name(String name);

  static native String schedgpu_lane_policy_name(int policy);

  static native String schedgpu_strerror(int error);

  static native String schedgpu_error_name(int error);

  static native int schedgpu_parse_bytes(String text, long totalBytes, LongByReference bytes);

  static native long schedgpu_suggested_budget(long usedBytes);

  static native Pointer schedgpu_type_bytes(long bytes, byte[] text);

  static native int schedgpu_learned_write(
      String runDir,
      int table,
      int[] uid,
      long[] bytes,
      byte[] names,
      long count,
      byte[] error,
      long errorSize);

  static native int schedgpu_parse_time(String text, LongByReference ns);

  static native int schedgpu_parse_priority(String text, IntByReference priority);

  static native int schedgpu_forecast_open(
      Pointer snapshot, long size, PointerByReference forecast);

  static native void schedgpu_forecast_close(Pointer forecast);

  static native void schedgpu_forecast_reason(Pointer forecast, long ticket, Pointer reason);

  static native int schedgpu_forecast_left(Pointer forecast, Pointer tickets, int max);

  static native int schedgpu_forecast_end(Pointer forecast, int kind, long jobId, long nowNs);

  static native int schedgpu_forecast_give_up(Pointer forecast, long ticket, long nowNs);

  static native void schedgpu_forecast_pass(Pointer forecast, long nowNs);

  static native int schedgpu_forecast_waits(Pointer forecast, long ticket);

  static native int schedgpu_broker_supported();

  static native int schedgpu_broker_open(String runDir, Pointer limits, PointerByReference broker);

  static native int schedgpu_broker_set_limit(Pointer broker, String name, int value);

  static native long schedgpu_broker_count(Pointer broker, String name);

  static native int schedgpu_broker_set_terms(
      Pointer broker, String defaultMem, String maxMem, int maxPriority, int[] above, int count);

  static native void schedgpu_broker_set_lanes(Pointer broker, int lanes, int maxShare);

  static native int schedgpu_broker_set_subordinates(
      Pointer broker, int[] first, int[] count, int[] owner, int n);

  static native int schedgpu_share_owner(int uid, int[] first, int[] count, int[] owner, int n);

  static native int schedgpu_run_open(String runDir, PointerByReference run);

  static native int schedgpu_run_devices(Pointer run, Pointer node);

  static native int schedgpu_run_begin(Pointer run, Pointer spec);

  static native int schedgpu_run_refresh(String runDir);

  static native void schedgpu_run_close(Pointer run);

  static native int schedgpu_broker_run(Pointer broker);

  static native void schedgpu_broker_stop(Pointer broker);

  static native void schedgpu_broker_close(Pointer broker);
}
