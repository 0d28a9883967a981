package org.schedgpu.model;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.util.List;
import java.util.function.ToLongFunction;

/** One C core: short names for the calls, buffers that are used again. */
final class Core implements AutoCloseable {
  private static final int WORDS = 4096;
  private static final int TEXT_BYTES = 256;

  private static final Memory BUFFER = new Memory(WORDS * 8L);
  private static final Memory TEXT = new Memory(TEXT_BYTES);
  private static final Memory TICKET = new Memory(8);

  private final Pointer core;
  private final CoreState state = new CoreState(BUFFER.getByteBuffer(0, WORDS * 8L).asLongBuffer());

  Core(NodeSpec spec) {
    PointerByReference made = new PointerByReference();
    int rc =
        CoreLibrary.schedgpu_core_create(
            spec.devices().size(),
            each(spec.devices(), DeviceSpec::totalBytes),
            each(spec.devices(), DeviceSpec::reservedBytes),
            each(spec.devices(), DeviceSpec::contextBytes),
            spec.policy().code(),
            spec.overtakeLimit(),
            spec.graceNs(),
            spec.rule().code(),
            made);
    if (rc != 0) {
      throw new IllegalStateException("no core: " + Answer.nameOf(rc));
    }
    core = made.getValue();
  }

  private static long[] each(List<DeviceSpec> devices, ToLongFunction<DeviceSpec> part) {
    return devices.stream().mapToLong(part).toArray();
  }

  @Override
  public void close() {
    CoreLibrary.schedgpu_core_destroy(core);
  }

  int begin(JobSpec spec, int owner, long nowNs) {
    long[] budgets = spec.budgetBytes().stream().mapToLong(Long::longValue).toArray();
    return CoreLibrary.schedgpu_core_job_begin(
        core,
        spec.id(),
        spec.uid(),
        spec.mode().code(),
        spec.overflowWaits() ? 1 : 0,
        budgets,
        spec.priority(),
        spec.processes(),
        spec.deviceMask(),
        owner,
        nowNs);
  }

  int end(long job, long nowNs) {
    return CoreLibrary.schedgpu_core_job_end(core, job, nowNs);
  }

  /** The slot, or an error. */
  int attach(long job) {
    return CoreLibrary.schedgpu_core_attach(core, job);
  }

  void remove(int slot, long nowNs) {
    CoreLibrary.schedgpu_core_remove(core, slot, nowNs);
  }

  int ask(int slot, int device, long bytes, Kind kind, boolean mayWait, long nowNs) {
    return CoreLibrary.schedgpu_core_ask(
        core, slot, device, bytes, kind.code(), mayWait ? 1 : 0, nowNs, TICKET);
  }

  /** Of the last request; 0 if it was not queued. */
  long ticket() {
    return TICKET.getLong(0);
  }

  int settle(int slot, long ticket, long nowNs) {
    return CoreLibrary.schedgpu_core_settle(core, slot, ticket, nowNs);
  }

  int giveBack(int slot, int device, long bytes, long nowNs) {
    return CoreLibrary.schedgpu_core_give_back(core, slot, device, bytes, nowNs);
  }

  int leaveContext(int slot, int device, long nowNs) {
    return CoreLibrary.schedgpu_core_context_leave(core, slot, device, nowNs);
  }

  int setOverrun(long job, int device, long bytes, long nowNs) {
    return CoreLibrary.schedgpu_core_set_overrun(core, job, device, bytes, nowNs);
  }

  int setForeign(int device, long bytes, long nowNs) {
    return CoreLibrary.schedgpu_core_set_foreign(core, device, bytes, nowNs);
  }

  void setPolicy(Policy policy, long nowNs) {
    CoreLibrary.schedgpu_core_policy_set(core, policy.code(), nowNs);
  }

  void serveAll(long nowNs) {
    CoreLibrary.schedgpu_core_serve(core, nowNs);
  }

  /** As it is now; valid until the next call. */
  CoreState state() {
    int words = CoreLibrary.schedgpu_core_read(core, BUFFER, WORDS);
    if (words < 0) {
      throw new IllegalStateException("more state than " + WORDS + " words");
    }
    state.parse();
    return state;
  }

  /** Which invariant is broken; "" if none is. */
  String broken() {
    return CoreLibrary.schedgpu_core_check(core, TEXT, TEXT_BYTES) == 0 ? "" : TEXT.getString(0);
  }
}
