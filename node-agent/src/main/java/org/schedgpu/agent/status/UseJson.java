package org.schedgpu.agent.status;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.overrun.GpuUser;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Unreserved memory as JSON; null if NVML does not report it. */
final class UseJson {
  private UseJson() {}

  static Map<String, Object> of(Job job, int device, Optional<JobUse> use) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("overrunBytes", job.overrunBytes().getOrDefault(device, 0L));
    json.put("seenBytes", orNull(use.map(JobUse::seenBytes)));
    json.put("unreservedBytes", orNull(use.map(JobUse::overrunBytes)));
    json.put("gpuProcesses", users(use.map(JobUse::processes)));
    return json;
  }

  static Map<String, Object> of(Device device, Optional<DeviceUse> use) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("foreignBytes", device.foreignBytes());
    json.put("seenForeignBytes", orNull(use.map(DeviceUse::foreignBytes)));
    json.put("foreignProcesses", users(use.map(DeviceUse::foreign)));
    return json;
  }

  private static Long orNull(Optional<OptionalLong> bytes) {
    OptionalLong known = bytes.orElse(OptionalLong.empty());
    return known.isPresent() ? known.getAsLong() : null;
  }

  private static List<Map<String, Object>> users(Optional<List<GpuUser>> users) {
    return users.orElse(List.of()).stream()
        .map(
            user -> {
              Map<String, Object> json = new LinkedHashMap<>();
              json.put("pid", user.pid());
              json.put("name", user.name());
              json.put("bytes", orNull(Optional.of(user.usedBytes())));
              user.job().ifPresent(job -> json.put("attached", user.asks()));
              return json;
            })
        .toList();
  }
}
