package org.schedgpu.jna;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** The requests of a snapshot that wait or were just granted. */
final class WaiterParser {
  private static final int GRANTED = 2;
  private static final long NO_DEADLINE = -1;
  private static final long FLAG_OVERFLOW_WAITS = 2;
  private static final long PEAK = 1;

  private final RegionBytes region;
  private final Damage damage;
  private final LongPredicate jobThere;
  private final int devices;

  /**
   * @param jobThere true if a job's record is in use
   */
  WaiterParser(RegionBytes region, Damage damage, LongPredicate jobThere) {
    this.region = region;
    this.damage = damage;
    this.jobThere = jobThere;
    devices = region.count("device");
  }

  /** Its position is not known yet: {@link QueuePositions}. */
  Optional<Waiter> waiter(int index) {
    RegionBytes.Row waiter = region.record("waiter", index);
    long state = waiter.u32("state");
    long kind = waiter.u32("kind");
    long device = waiter.u32("device");
    long mask = waiter.u32("device_mask");
    if (state > GRANTED || kind < 1 || kind > Request.values().length) {
      return damage.leaveOut("waiter", index, "state " + state + ", kind " + kind);
    }
    if (device >= devices || mask >>> devices != 0 || (mask >>> device & 1) == 0) {
      return damage.leaveOut(
          "waiter", index, "device " + device + " of mask " + Long.toHexString(mask));
    }
    if (waiter.u32("client") >= region.count("client") || !jobThere.test(waiter.u32("job"))) {
      return damage.leaveOut(
          "waiter", index, "client " + waiter.u32("client") + ", job record " + waiter.u32("job"));
    }
    if (waiter.u64("bytes") < 0) {
      return damage.leaveOut(
          "waiter", index, Long.toUnsignedString(waiter.u64("bytes")) + " bytes");
    }
    long deadline = waiter.u64("deadline_ns");
    return Optional.of(
        new Waiter(
            waiter.i32("client"),
            waiter.i32("job"),
            (int) device,
            devicesOf(isOverflow(waiter) ? 1L << device : mask),
            Request.values()[(int) kind - 1],
            waiter.i32("priority"),
            state == GRANTED,
            0,
            waiter.u64("ticket"),
            waiter.u64("bytes"),
            waiter.u64("since_ns"),
            deadline == NO_DEADLINE ? Optional.empty() : Optional.of(deadline),
            waiter.u32("overtaken")));
  }

  /** A request beyond a held budget concerns one device, even if the job has others. */
  private boolean isOverflow(RegionBytes.Row waiter) {
    RegionBytes.Row job = region.record("job", waiter.i32("job"));
    return waiter.u32("kind") == PEAK
        && (job.u32("flags") & FLAG_OVERFLOW_WAITS) != 0
        && job.u32("held_mask") != 0
        && job.u32("admitted") != 0;
  }

  private List<Integer> devicesOf(long mask) {
    List<Integer> list = new ArrayList<>();
    for (int device = 0; device < devices; device++) {
      if ((mask >>> device & 1) == 1) {
        list.add(device);
      }
    }
    return Collections.unmodifiableList(list);
  }
}
