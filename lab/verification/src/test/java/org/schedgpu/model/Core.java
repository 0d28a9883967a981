package org.schedgpu.model;

import java.util.List;
import java.util.function.ToLongFunction;
import org.schedgpu.jna.CoreLibrary;
import org.schedgpu.jna.Policy;

/** One C core: short names for the calls, with the terms of the model. */
final class Core implements AutoCloseable {
  private final CoreLibrary core;
  private final CoreState state = new CoreState(CoreLibrary.words());
  private final CoreLanes lanes = new CoreLanes(CoreLibrary.laneWords());

  Core(NodeSpec spec) {
    core =
        new CoreLibrary(
            each(spec.devices(), DeviceSpec::totalBytes),
            each(spec.devices(), DeviceSpec::reservedBytes),
            each(spec.devices(), DeviceSpec::contextBytes),
            spec.policy().number(),
            spec.overtakeLimit(),
            spec.graceNs(),
            spec.rule().code());
  }

  private static long[] each(List<DeviceSpec> devices, ToLongFunction<DeviceSpec> part) {
    return devices.stream().mapToLong(part).toArray();
  }

  @Override
  public void close() {
    core.close();
  }

  int begin(JobSpec spec, int owner, long nowNs) {
    return core.jobBegin(
        spec.id(),
        spec.uid(),
        spec.mode().code(),
        spec.overflowWaits(),
        spec.budgetBytes().stream().mapToLong(Long::longValue).toArray(),
        spec.priority(),
        spec.processes(),
        spec.deviceMask(),
        owner,
        nowNs);
  }

  int beginLaneJob(JobSpec spec, LaneSpec lane, long nowNs) {
    int device = Integer.numberOfTrailingZeros(spec.deviceMask());
    return core.laneJobBegin(
        spec.id(),
        spec.uid(),
        device,
        spec.budgetBytes().get(device),
        lane.persistentBytes(),
        lane.policy().code(),
        lane.share(),
        lane.lengthNs(),
        spec.priority(),
        nowNs);
  }

  int settleTurn(int slot, long nowNs) {
    return core.turnSettle(slot, nowNs);
  }

  int endIteration(int slot, long nowNs) {
    return core.turnEnd(slot, nowNs);
  }

  int shareLane(int slot) {
    return core.laneShare(slot);
  }

  int mapLane(int slot, long bytes, long nowNs) {
    return core.laneMap(slot, bytes, nowNs);
  }

  int look(long nowNs) {
    return core.look(nowNs);
  }

  int setQuantum(long quantumNs) {
    return core.quantumSet(quantumNs);
  }

  /** The present lanes; valid until the next call. */
  CoreLanes lanes() {
    core.readLanes();
    lanes.parse();
    return lanes;
  }

  int end(long job, long nowNs) {
    return core.jobEnd(job, nowNs);
  }

  /** The slot, or an error. */
  int attach(long job) {
    return core.attach(job);
  }

  void remove(int slot, long nowNs) {
    core.remove(slot, nowNs);
  }

  int ask(int slot, int device, long bytes, RequestKind kind, boolean mayWait, long nowNs) {
    return core.ask(slot, device, bytes, kind.code(), mayWait, nowNs);
  }

  /** The ticket of the last request; 0 if it was not queued. */
  long ticket() {
    return core.ticket();
  }

  int settle(int slot, long ticket, long nowNs) {
    return core.settle(slot, ticket, nowNs);
  }

  int giveBack(int slot, int device, long bytes, long nowNs) {
    return core.giveBack(slot, device, bytes, nowNs);
  }

  int leaveContext(int slot, int device, long nowNs) {
    return core.contextLeave(slot, device, nowNs);
  }

  int setOverrun(long job, int device, long bytes, long nowNs) {
    return core.setOverrun(job, device, bytes, nowNs);
  }

  int setForeign(int device, long bytes, long nowNs) {
    return core.setForeign(device, bytes, nowNs);
  }

  void setPolicy(Policy policy, long nowNs) {
    core.policySet(policy.number(), nowNs);
  }

  void serveAll(long nowNs) {
    core.serve(nowNs);
  }

  /** The present state; valid until the next call. */
  CoreState state() {
    core.read();
    state.parse();
    return state;
  }

  /** The broken invariant; "" if none is broken. */
  String broken() {
    return core.check();
  }
}
