package org.schedgpu.agent.overrun;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.schedgpu.agent.overrun.GpuUse.DeviceUse;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Charges unreserved memory, so that no other job gets it. Where the use is unknown, the charge
 * stays as it was.
 */
public final class OverrunCharger {
  private static final int NAMES_WIDTH = 60;
  private static final long UNIT_BYTES = 512;

  /** Where charges are written: a region. */
  interface Charges {
    /** Returns false if the job ended meanwhile, and its charges with it. */
    boolean setOverrun(JobKind kind, long jobId, int device, long bytes);

    void setForeign(int device, long bytes);
  }

  private final Charges book;
  private final List<String> changes = new ArrayList<>();
  private boolean rising = true;

  private OverrunCharger(Charges book) {
    this.book = book;
  }

  /**
   * Updates the charges to what was seen. Increases come first: memory that went from one job to
   * another must not become free in between.
   *
   * @param book a {@link RegionCharges}, or a test's own
   * @param snapshot of the region, with its present charges
   * @return one line for each change
   */
  public static List<String> charge(Charges book, RegionSnapshot snapshot, GpuUse use) {
    OverrunCharger charger = new OverrunCharger(book);
    charger.all(snapshot, use);
    charger.rising = false;
    charger.all(snapshot, use);
    return List.copyOf(charger.changes);
  }

  private void all(RegionSnapshot snapshot, GpuUse use) {
    Map<String, List<Job>> jobs =
        snapshot.jobs().stream().collect(Collectors.groupingBy(Job::reference));
    use.jobs().forEach(seen -> job(jobs.getOrDefault(seen.job().reference(), List.of()), seen));
    List<Integer> known =
        use.devices().stream()
            .filter(device -> device.foreignBytes().isPresent())
            .map(DeviceUse::device)
            .toList();
    snapshot.jobs().forEach(job -> leftDevices(known, job, use));
    snapshot.devices().forEach(device -> use.of(device.index()).ifPresent(u -> device(device, u)));
  }

  private void job(List<Job> jobs, JobUse use) {
    jobs.forEach(job -> set(job, use.device(), use.overrunBytes(), use.suspects()));
  }

  /** The job used a device that it does not have, and no longer does. */
  private void leftDevices(List<Integer> known, Job job, GpuUse use) {
    Set<Integer> uses = use.of(job).keySet();
    known.stream()
        .filter(device -> !uses.contains(device))
        .forEach(device -> set(job, device, OptionalLong.of(0), List.of()));
  }

  private void set(Job job, int device, OptionalLong bytes, List<GpuUser> users) {
    if (!isDue(bytes, job.overrunBytes().getOrDefault(device, 0L))) {
      return;
    }
    if (book.setOverrun(job.kind(), job.id(), device, bytes.getAsLong())) {
      say(
          bytes.getAsLong() == 0
              ? "%s: no longer charged beyond what it holds of device %d"
                  .formatted(job.reference(), device)
              : "%s: charged with %s of device %d beyond what it holds"
                  .formatted(job.reference(), Texts.size(bytes.getAsLong()), device),
          bytes.getAsLong() == 0 ? List.of() : users);
    }
  }

  private void device(Device device, DeviceUse use) {
    OptionalLong bytes = use.foreignBytes();
    if (!isDue(bytes, device.foreignBytes())) {
      return;
    }
    book.setForeign(device.index(), bytes.getAsLong());
    say(
        bytes.getAsLong() == 0
            ? "device %d: no longer in use by programs of no job".formatted(device.index())
            : "device %d: charged with %s that programs of no job use"
                .formatted(device.index(), Texts.size(bytes.getAsLong())),
        use.foreign());
  }

  /** The region counts in units, rounded up. */
  private boolean isDue(OptionalLong seen, long charged) {
    if (seen.isEmpty()) {
      return false;
    }
    long bytes = seen.getAsLong();
    return rising ? bytes > charged : charged - bytes >= UNIT_BYTES;
  }

  private void say(String what, List<GpuUser> users) {
    changes.add(what + (users.isEmpty() ? "" : ": " + UseText.names(users, NAMES_WIDTH)));
  }
}
