package org.schedgpu.agent.overrun;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.jna.GpuProcess;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.SchedGpu;

/** Samples NVML, /proc and the region for unreserved memory. */
public final class UsageScan {
  private static final int LOOKS = 2;

  private final Nvml nvml;
  private final HostProcesses processes;
  private final boolean wholeDevices;

  private UsageScan(Nvml nvml, boolean wholeDevices, HostProcesses processes) {
    this.nvml = nvml;
    this.processes = processes;
    this.wholeDevices = wholeDevices;
  }

  /**
   * Samples processes only, not the memory of devices: within a job the preload library would
   * answer that, and make the caller a process of the job.
   */
  public static UsageScan atProcesses(Nvml nvml) {
    return new UsageScan(nvml, false, new HostProcesses());
  }

  /** Also reports memory that no process explains. */
  public static UsageScan atWholeDevices(Nvml nvml) {
    return new UsageScan(nvml, true, new HostProcesses());
  }

  /** The same; the run directory tells the job of a control group of Slurm 26.05. */
  public UsageScan ofNode(Path runDir) {
    return new UsageScan(nvml, wholeDevices, HostProcesses.ofNode(runDir));
  }

  /** As {@link #at}; empty if NVML is absent or does not answer. */
  public static GpuUse ifPossible(SchedGpu region, Function<Nvml, UsageScan> look) {
    return ifPossible(region::liveSnapshot, region::liveSnapshot, look);
  }

  /** As {@link #at(Supplier, Supplier)}; empty if NVML is absent or does not answer. */
  public static GpuUse ifPossible(
      Supplier<RegionSnapshot> before,
      Supplier<RegionSnapshot> after,
      Function<Nvml, UsageScan> look) {
    Optional<Nvml> opened = Nvml.open().nvml();
    if (opened.isEmpty()) {
      return GpuUse.UNKNOWN;
    }
    try (Nvml nvml = opened.get()) {
      return look.apply(nvml).at(before, after);
    } catch (NvmlException problem) {
      return GpuUse.UNKNOWN;
    }
  }

  /**
   * Unreserved memory that two samples show.
   *
   * @param region takes a fresh snapshot
   */
  public GpuUse at(Supplier<RegionSnapshot> region) {
    return at(region, region);
  }

  /**
   * The same.
   *
   * @param beforeNvml takes the snapshot before NVML is asked
   * @param afterNvml takes the one after it, for a caller that also needs it
   */
  GpuUse at(Supplier<RegionSnapshot> beforeNvml, Supplier<RegionSnapshot> afterNvml) {
    GpuUse use = atOnce(afterNvml);
    for (int i = 0; i < LOOKS && use.showsSomething(); i++) {
      GpuUse exactly = once(beforeNvml, afterNvml);
      use = i == 0 ? exactly : exactly.confirming(use);
    }
    return use;
  }

  /**
   * Without an earlier snapshot: a job that uses no more than it holds now is fine, whatever it
   * held before. In nearly all cases that is enough.
   */
  private GpuUse atOnce(Supplier<RegionSnapshot> afterNvml) {
    Answers answers = ask();
    RegionSnapshot after = afterNvml.get();
    return Overruns.of(after, seen(answers, after));
  }

  private GpuUse once(Supplier<RegionSnapshot> beforeNvml, Supplier<RegionSnapshot> afterNvml) {
    RegionSnapshot before = beforeNvml.get();
    Answers answers = ask();
    RegionSnapshot after = afterNvml.get();
    return Overruns.of(before, after, seen(answers, after));
  }

  /** NVML's report, by UUID. */
  private record Answers(
      Map<String, Optional<List<GpuProcess>>> lists, Map<String, Nvml.MemoryInfo> memory) {}

  private Answers ask() {
    Answers answers = new Answers(new HashMap<>(), new HashMap<>());
    for (Nvml.Device device : nvml.devices()) {
      answers.lists().put(device.uuid(), device.processes());
      if (wholeDevices) {
        answers.memory().put(device.uuid(), device.memory());
      }
    }
    return answers;
  }

  private Map<Integer, Overruns.Seen> seen(Answers answers, RegionSnapshot after) {
    GpuUsers users = new GpuUsers(after, processes);
    Map<Integer, Overruns.Seen> seen = new HashMap<>();
    for (Device device : after.devices()) {
      String uuid = device.uuid();
      if (answers.lists().containsKey(uuid)) {
        OptionalLong used =
            wholeDevices
                ? usedBytes(answers.memory().get(uuid), after, uuid)
                : OptionalLong.empty();
        seen.put(device.index(), new Overruns.Seen(users.of(answers.lists().get(uuid)), used));
      }
    }
    return seen;
  }

  /** Old drivers count what they keep as used, and do not report how much that is. */
  static OptionalLong usedBytes(Nvml.MemoryInfo memory, RegionSnapshot snapshot, String uuid) {
    if (memory.reservedBytes() > 0) {
      return OptionalLong.of(memory.usedBytes());
    }
    return snapshot.devices().stream()
        .filter(device -> device.uuid().equals(uuid))
        .mapToLong(device -> Math.max(0, memory.usedBytes() - device.reservedBytes()))
        .findFirst();
  }
}
