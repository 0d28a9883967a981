package org.schedgpu.jna;

import com.sun.jna.Memory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The structures of {@code schedgpu/admin.h}, written and read at the offsets that C exports. */
final class AdminStructs {
  private static final int FLAG_OWNED = 1;
  private static final int FLAG_OVERFLOW_WAITS = 2;

  private AdminStructs() {}

  private static Memory zeroed(RegionLayout layout, String struct) {
    Memory memory = new Memory(layout.at("sizeof." + struct));
    memory.clear();
    return memory;
  }

  private static void putText(Memory memory, long offset, int size, String text, String what) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= size) {
      throw new IllegalArgumentException(
          "schedgpu: " + what + " \"" + text + "\" is longer than " + (size - 1) + " bytes");
    }
    memory.write(offset, Arrays.copyOf(bytes, size), 0, size);
  }

  /** As {@link #putText}, but shortens a text for display instead of refusing it. */
  private static void putName(Memory memory, long offset, int size, String text) {
    putText(memory, offset, size, cut(text, size), "name");
  }

  /**
   * The longest part of the text that fits into this number of bytes with a final zero; whole
   * characters only.
   */
  static String cut(String text, int size) {
    String cut = text;
    while (cut.getBytes(StandardCharsets.UTF_8).length >= size) {
      cut = cut.substring(0, cut.offsetByCodePoints(cut.length(), -1));
    }
    return cut;
  }

  private static String text(Memory memory, long offset, int size) {
    byte[] bytes = memory.getByteArray(offset, size);
    int length = 0;
    while (length < size && bytes[length] != 0) {
      length++;
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  static Memory setup(Setup setup, RegionLayout layout) {
    Memory memory = zeroed(layout, "setup");
    memory.setInt(layout.at("setup.policy"), setup.policy().number());
    memory.setInt(layout.at("setup.device_count"), setup.devices().size());
    memory.setInt(layout.at("setup.overtake_limit"), Math.toIntExact(setup.overtakeLimit()));
    memory.setInt(layout.at("setup.deadlock_rule"), setup.deadlockRule().number());
    memory.setInt(layout.at("setup.group"), setup.groupId());
    memory.setLong(layout.at("setup.grace_ns"), setup.graceNs());
    memory.setLong(layout.at("setup.quantum_ns"), setup.quantumNs());
    putDevices(memory, setup.devices(), layout);
    return memory;
  }

  static Memory emptySetup(RegionLayout layout) {
    return zeroed(layout, "setup");
  }

  static List<DeviceSpec> devices(Memory setup, RegionLayout layout) {
    int first = layout.at("setup.device");
    int stride = layout.at("sizeof.device_spec");
    return IntStream.range(0, setup.getInt(layout.at("setup.device_count")))
        .mapToObj(i -> device(setup, first + (long) i * stride, layout))
        .toList();
  }

  private static DeviceSpec device(Memory memory, long at, RegionLayout layout) {
    int uuid = layout.at("device_spec.uuid");
    int name = layout.at("device_spec.name");
    return new DeviceSpec(
        memory.getInt(at + layout.at("device_spec.index")),
        memory.getLong(at + layout.at("device_spec.total_bytes")),
        memory.getLong(at + layout.at("device_spec.reserved_bytes")),
        memory.getLong(at + layout.at("device_spec.context_bytes")),
        text(memory, at + uuid, name - uuid),
        text(memory, at + name, layout.at("sizeof.device_spec") - name));
  }

  private static void putDevices(Memory memory, List<DeviceSpec> devices, RegionLayout layout) {
    int first = layout.at("setup.device");
    int stride = layout.at("sizeof.device_spec");
    if (devices.size() > (memory.size() - first) / stride) {
      throw new IllegalArgumentException(
          "schedgpu: " + devices.size() + " devices are more than the region can hold");
    }
    for (int i = 0; i < devices.size(); i++) {
      putDevice(memory, first + (long) i * stride, devices.get(i), layout);
    }
  }

  private static void putDevice(Memory memory, long at, DeviceSpec device, RegionLayout layout) {
    int uuid = layout.at("device_spec.uuid");
    int name = layout.at("device_spec.name");
    memory.setInt(at + layout.at("device_spec.index"), device.index());
    memory.setLong(at + layout.at("device_spec.total_bytes"), device.totalBytes());
    memory.setLong(at + layout.at("device_spec.reserved_bytes"), device.reservedBytes());
    memory.setLong(at + layout.at("device_spec.context_bytes"), device.contextBytes());
    putText(memory, at + uuid, name - uuid, device.uuid(), "UUID");
    putName(memory, at + name, layout.at("sizeof.device_spec") - name, device.name());
  }

  static Memory jobSpec(JobSpec job, RegionLayout layout) {
    Memory memory = zeroed(layout, "job_spec");
    int budgets = layout.at("job_spec.budget_bytes");
    int name = layout.at("job_spec.name");
    memory.setLong(layout.at("job_spec.job_id"), job.jobId());
    memory.setInt(layout.at("job_spec.kind"), job.kind().number());
    memory.setInt(layout.at("job_spec.uid"), job.uid());
    memory.setInt(layout.at("job_spec.priority"), job.priority());
    memory.setInt(layout.at("job_spec.mode"), job.mode().number());
    memory.setInt(layout.at("job_spec.device_mask"), mask(job.budgetBytes()));
    memory.setInt(layout.at("job_spec.flags"), flags(job));
    memory.setInt(layout.at("job_spec.processes"), job.processes());
    memory.setLong(layout.at("job_spec.wait_ns"), job.waitNs());
    job.budgetBytes().forEach((device, bytes) -> memory.setLong(budgets + device * 8L, bytes));
    putName(memory, name, nameSize(layout), job.name());
    return memory;
  }

  private static int flags(JobSpec job) {
    return (job.owned() ? FLAG_OWNED : 0) | (job.overflowWaits() ? FLAG_OVERFLOW_WAITS : 0);
  }

  private static int nameSize(RegionLayout layout) {
    return layout.at("sizeof.device_spec") - layout.at("device_spec.name");
  }

  private static int mask(Map<Integer, Long> budgets) {
    int mask = 0;
    for (int device : budgets.keySet()) {
      if (device < 0 || device > 15) {
        throw new IllegalArgumentException("schedgpu: device " + device + " is not one of 0 to 15");
      }
      mask |= 1 << device;
    }
    return mask;
  }

  static Memory emptyJobSpec(RegionLayout layout) {
    return zeroed(layout, "job_spec");
  }

  static JobSpec jobSpec(Memory memory, RegionLayout layout) {
    int kind = memory.getInt(layout.at("job_spec.kind"));
    int mode = memory.getInt(layout.at("job_spec.mode"));
    int mask = memory.getInt(layout.at("job_spec.device_mask"));
    SortedMap<Integer, Long> budgets = new TreeMap<>();
    for (int device = 0; device < 16; device++) {
      if ((mask >>> device & 1) == 1) {
        budgets.put(device, memory.getLong(layout.at("job_spec.budget_bytes") + device * 8L));
      }
    }
    return new JobSpec(
        JobKind.of(kind).orElseThrow(() -> damaged("kind " + kind)),
        memory.getLong(layout.at("job_spec.job_id")),
        memory.getInt(layout.at("job_spec.uid")),
        memory.getInt(layout.at("job_spec.priority")),
        Mode.of(mode).orElseThrow(() -> damaged("mode " + mode)),
        memory.getInt(layout.at("job_spec.processes")),
        (memory.getInt(layout.at("job_spec.flags")) & FLAG_OWNED) != 0,
        memory.getLong(layout.at("job_spec.wait_ns")),
        budgets,
        text(memory, layout.at("job_spec.name"), nameSize(layout)),
        (memory.getInt(layout.at("job_spec.flags")) & FLAG_OVERFLOW_WAITS) != 0);
  }

  private static SchedGpuException damaged(String what) {
    return new SchedGpuException(
        ErrorCode.ECORRUPT,
        "libschedgpu: a job of the region has " + what + ": see schedgpu doctor");
  }

  static Memory emptyReaped(RegionLayout layout) {
    return zeroed(layout, "reaped");
  }

  static ReapResult reaped(Memory memory, RegionLayout layout) {
    return new ReapResult(
        Integer.toUnsignedLong(memory.getInt(layout.at("reaped.clients"))),
        Integer.toUnsignedLong(memory.getInt(layout.at("reaped.jobs"))),
        memory.getLong(layout.at("reaped.bytes")),
        Integer.toUnsignedLong(memory.getInt(layout.at("reaped.granted"))));
  }

  static Memory emptyRegionInfo(RegionLayout layout) {
    return zeroed(layout, "region_info");
  }

  static RegionInfo regionInfo(Memory memory, RegionLayout layout) {
    long age = memory.getLong(layout.at("region_info.checkpoint_age_ns"));
    int overcommitted = memory.getInt(layout.at("region_info.overcommitted"));
    return new RegionInfo(
        memory.getInt(layout.at("region_info.shmid")),
        memory.getInt(layout.at("region_info.mode")),
        memory.getInt(layout.at("region_info.uid")),
        memory.getInt(layout.at("region_info.gid")),
        memory.getLong(layout.at("region_info.attached")),
        memory.getLong(layout.at("region_info.created_ns")),
        memory.getLong(layout.at("region_info.repairs")),
        age < 0 ? OptionalLong.empty() : OptionalLong.of(age),
        memory.getInt(layout.at("region_info.live_right")) != 0,
        IntStream.range(0, 16).filter(d -> (overcommitted >>> d & 1) == 1).boxed().toList());
  }
}
