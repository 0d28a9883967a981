package org.schedgpu.agent.overrun;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Unreserved memory as text: one line of at most 80 columns. */
public final class UseText {
  private static final int WIDTH = 80;
  private static final String INDENT = "   ";

  private UseText() {}

  /** For a job on a device; empty if there is nothing to report. */
  public static Optional<String> of(Job job, int device, Optional<JobUse> use) {
    long seen = use.map(JobUse::overrunBytes).orElse(OptionalLong.empty()).orElse(0);
    long charged = job.overrunBytes().getOrDefault(device, 0L);
    List<GpuUser> unscheduled = use.map(JobUse::unscheduled).orElse(List.of());
    if (seen == 0 && !unscheduled.isEmpty()) {
      String start =
          "%sunscheduled on device %d (within what the job holds): ".formatted(INDENT, device);
      return Optional.of(start + names(unscheduled, WIDTH - start.length()));
    }
    if (seen == 0) {
      return charged == 0
          ? Optional.empty()
          : Optional.of(
              "%scharged with %s of device %d beyond what it holds"
                  .formatted(INDENT, Texts.size(charged), device));
    }
    String start =
        "%sunreserved %s of device %d (%s): "
            .formatted(INDENT, Texts.size(seen), device, charged(seen, charged));
    return Optional.of(start + names(use.get().suspects(), WIDTH - start.length()));
  }

  /** For a device: the memory that no job uses; empty if there is nothing to report. */
  public static Optional<String> of(Device device, Optional<DeviceUse> use) {
    if (use.isPresent() && use.get().foreignBytes().isEmpty()) {
      return Optional.of(
          INDENT + "unreserved: unknown, NVML or /proc hides what each process uses");
    }
    long seen = use.map(DeviceUse::foreignBytes).orElse(OptionalLong.empty()).orElse(0);
    long charged = device.foreignBytes();
    if (seen == 0 && charged == 0) {
      return Optional.empty();
    }
    if (seen == 0) {
      return Optional.of(
          "%scharged with %s in use by no job".formatted(INDENT, Texts.size(charged)));
    }
    String start =
        "%sin use by no job %s (%s): ".formatted(INDENT, Texts.size(seen), charged(seen, charged));
    return Optional.of(start + names(use.get().foreign(), WIDTH - start.length()));
  }

  private static String charged(long seen, long charged) {
    if (charged == 0) {
      return "not charged";
    }
    return charged >= seen ? "charged" : Texts.size(charged) + " charged";
  }

  /** As many processes as fit, the first shortened if necessary, and the number of the others. */
  static String names(List<GpuUser> users, int width) {
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < users.size(); i++) {
      String next = (i == 0 ? "" : ", ") + users.get(i).text();
      int left = users.size() - i - 1;
      int room = width - (left == 0 ? 0 : (" +" + left).length());
      if (i > 0 && names.length() + next.length() > room) {
        return names + " +" + (left + 1);
      }
      names.append(i == 0 ? Texts.cut(next, room) : next);
    }
    return names.toString();
  }
}
