package org.schedgpu.jna;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Turns the bytes of a snapshot into records and notes what cannot be right. */
final class SnapshotParser {
  private static final int UUID_SIZE = 48;
  private static final int NAME_SIZE = 64;
  private static final int ACTIVE = 1;
  private static final int GRANTED = 2;
  private static final long NO_JOB = 0xffffffffL;
  private static final long NO_DEADLINE = -1;
  private static final long FLAG_OVERFLOW_WAITS = 2;
  private static final long PEAK = 1;

  /** Of a lease; the others are the units reserved. */
  private static final long USED_UNITS = 0xffffffffL;

  private final RegionBytes region;
  private final int devices;
  private final boolean[] jobAdmitted;
  private final Damage damage = new Damage();
  private final Sizes sizes;
  private final RefusedMarks marks;
  private final JobParser jobParser;

  SnapshotParser(ByteBuffer snapshot, RegionLayout layout, long nowNs) {
    region = new RegionBytes(snapshot, layout);
    devices = region.count("device");
    sizes = new Sizes(devices, damage);
    marks = new RefusedMarks(region);
    jobParser = new JobParser(region, damage, marks, nowNs);
    jobAdmitted = new boolean[region.count("job")];
  }

  /**
   * The records.
   *
   * @param withEnded also of the jobs that ended, which are many
   */
  RegionSnapshot parse(boolean withEnded) {
    RegionBytes.Row header = region.header();
    long policy = header.u32("policy");
    if (Policy.of(policy).isEmpty()) {
      damage.note("policy " + policy + " is not known");
    }
    long rule = header.u32("deadlock_rule");
    if (DeadlockRule.of(rule).isEmpty()) {
      damage.note("deadlock rule " + rule + " is not known");
    }
    if (header.u32("device_count") > devices) {
      damage.note("device count " + header.u32("device_count") + " of at most " + devices);
    }
    List<Device> deviceList = all("device", this::device);
    List<Job> jobs = all("job", jobParser::job);
    boolean[] jobThere = new boolean[region.count("job")];
    jobs.forEach(job -> jobThere[job.record()] = true);
    jobs.forEach(job -> jobAdmitted[job.record()] = job.admitted());
    List<Client> clients = all("client", i -> client(i, jobThere));
    List<Waiter> waiters = withPlaces(all("waiter", i -> waiter(i, jobThere)));
    return new RegionSnapshot(
        header.u32("version"),
        Policy.of(policy),
        header.u32("overtake_limit"),
        DeadlockRule.of(rule),
        header.u64("grace_ns"),
        header.u64("created_ns"),
        header.u64("recoveries"),
        header.u64("reaped_clients"),
        header.u64("grants"),
        header.u64("refusals") + marks.count(),
        deviceList,
        jobs,
        clients,
        waiters,
        withEnded ? new EndedJobs(region.copyOf("ended")) : List.of(),
        damage.list());
  }

  private <T> List<T> all(String table, IntFunction<Optional<T>> parse) {
    List<T> found = new ArrayList<>();
    for (int i : region.used(table)) {
      parse.apply(i).ifPresent(found::add);
    }
    return Collections.unmodifiableList(found);
  }

  private Optional<Device> device(int index) {
    RegionBytes.Row device = region.record("device", index);
    long state = device.u32("state");
    if (state != ACTIVE) {
      return damage.leaveOut("device", index, "state " + state + " is not known");
    }
    long total = device.u64("total_bytes");
    long reserved = device.u64("reserved_bytes");
    long context = device.u64("context_bytes");
    long used = device.u64("used_bytes");
    if (total < 0 || outside(reserved, total) || outside(context, total)) {
      return damage.leaveOut("device", index, "its sizes cannot be right");
    }
    long outside = device.u64("outside_bytes");
    if (outside(outside, total * (region.count("job") + 1)) || outside(used - outside, total)) {
      damage.note(
          "device record "
              + index
              + ": "
              + Long.toUnsignedString(used)
              + " bytes used of "
              + total);
      used = total;
    }
    long foreign = device.u64("foreign_bytes");
    if (outside(foreign, total)) {
      damage.note(
          "device record " + index + ": " + Long.toUnsignedString(foreign) + " foreign bytes");
      foreign = total;
    }
    return Optional.of(
        new Device(
            index,
            device.text("uuid", UUID_SIZE),
            device.text("name", NAME_SIZE),
            total,
            reserved,
            context,
            used,
            foreign));
  }

  private static boolean outside(long bytes, long total) {
    return bytes < 0 || bytes > total;
  }

  private Optional<Client> client(int index, boolean[] jobThere) {
    RegionBytes.Row client = region.record("client", index);
    long state = client.u32("state");
    long job = client.u32("job");
    if (state != ACTIVE) {
      return damage.leaveOut("client", index, "state " + state + " is not known");
    }
    if (job != NO_JOB && !isThere(job, jobThere)) {
      return damage.leaveOut("client", index, "job record " + job + " is not in use");
    }
    long unitBytes = region.unitBytes();
    IntToLongFunction lease = client.u64s("lease");
    return Optional.of(
        new Client(
            index,
            job == NO_JOB ? Optional.empty() : Optional.of((int) job),
            client.i32("pid"),
            client.u64("pid_namespace"),
            sizes.anyOf("client", index, client.u64s("contexts")),
            sizes.anyOf("client", index, d -> (lease.applyAsLong(d) >>> 32) * unitBytes),
            sizes.anyOf("client", index, d -> (lease.applyAsLong(d) & USED_UNITS) * unitBytes)));
  }

  private static boolean isThere(long index, boolean[] there) {
    return index < there.length && there[(int) index];
  }

  private Optional<Waiter> waiter(int index, boolean[] jobThere) {
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
    if (waiter.u32("client") >= region.count("client") || !isThere(waiter.u32("job"), jobThere)) {
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

  /** More than a held budget is asked of one device, whatever others the job has. */
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

  /** Oldest first; places by sequence number among those that wait in the same queue. */
  private List<Waiter> withPlaces(List<Waiter> waiters) {
    List<Waiter> sorted = new ArrayList<>(waiters);
    sorted.sort(Comparator.comparingLong(Waiter::ticket));
    int[][] older = new int[2][devices]; // that wait: in the queue apart, and in the other
    List<Waiter> placed = new ArrayList<>();
    for (Waiter waiter : sorted) {
      if (waiter.granted()) {
        placed.add(waiter);
        continue;
      }
      int[] queue = older[isApart(waiter) ? 0 : 1];
      placed.add(withPlace(waiter, 1 + queue[waiter.device()]));
      waiter.devices().forEach(device -> queue[device]++);
    }
    return Collections.unmodifiableList(placed);
  }

  /** Contexts, and all that jobs ask for before they are admitted, have a queue of their own. */
  private boolean isApart(Waiter waiter) {
    return waiter.request() == Request.CONTEXT || !jobAdmitted[waiter.job()];
  }

  private static Waiter withPlace(Waiter w, int place) {
    return new Waiter(
        w.client(),
        w.job(),
        w.device(),
        w.devices(),
        w.request(),
        w.priority(),
        w.granted(),
        place,
        w.ticket(),
        w.bytes(),
        w.sinceNs(),
        w.deadlineNs(),
        w.overtaken());
  }
}
