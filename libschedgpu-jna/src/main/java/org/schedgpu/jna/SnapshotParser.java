package org.schedgpu.jna;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Turns the bytes of a snapshot into records and notes impossible values. */
final class SnapshotParser {
  private static final int UUID_SIZE = 48;
  private static final int NAME_SIZE = 64;
  private static final int ACTIVE = 1;
  private static final long NO_JOB = 0xffffffffL;

  /** Two fields of a lease: units reserved, and units in use. */
  private static final long USED_UNITS = 0xffffffffL;

  private final RegionBytes region;
  private final int devices;
  private final Damage damage = new Damage();
  private final Sizes sizes;
  private final PendingRefusals marks;
  private final JobParser jobParser;

  /** Copies their bytes, and reads them when first asked for. */
  static List<EndedJob> allEnded(RegionBytes region) {
    return new EndedJobs(region.copyOf("ended"), 0);
  }

  SnapshotParser(ByteBuffer snapshot, RegionLayout layout, long nowNs) {
    region = new RegionBytes(snapshot, layout);
    devices = region.count("device");
    sizes = new Sizes(devices, damage);
    marks = new PendingRefusals(region);
    jobParser = new JobParser(region, damage, marks, nowNs);
  }

  /**
   * The records.
   *
   * @param ended finds the ended jobs, of which there are many
   */
  RegionSnapshot parse(Function<RegionBytes, List<EndedJob>> ended) {
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
    LongPredicate jobThere = recordsOf(jobs);
    List<Client> clients = all("client", i -> client(i, jobThere));
    LaneParser lanes = new LaneParser(region, damage, jobsOf(clients));
    WaiterParser waiterParser = new WaiterParser(region, damage, jobThere);
    List<Waiter> waiters =
        new QueuePositions(jobs, devices).of(all("waiter", waiterParser::waiter));
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
        lanes.lanes(),
        lanes.turns(),
        ended.apply(region),
        damage.list());
  }

  private LongPredicate recordsOf(List<Job> jobs) {
    boolean[] there = new boolean[region.count("job")];
    jobs.forEach(job -> there[job.record()] = true);
    return index -> index < there.length && there[(int) index];
  }

  /** The job of each process, by their records. */
  private static IntFunction<Optional<Integer>> jobsOf(List<Client> clients) {
    Map<Integer, Integer> jobs = new HashMap<>();
    clients.forEach(client -> client.job().ifPresent(job -> jobs.put(client.record(), job)));
    return client -> Optional.ofNullable(jobs.get(client));
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
    long outside = device.u64("unreserved_bytes");
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

  private Optional<Client> client(int index, LongPredicate jobThere) {
    RegionBytes.Row client = region.record("client", index);
    long state = client.u32("state");
    long job = client.u32("job");
    if (state != ACTIVE) {
      return damage.leaveOut("client", index, "state " + state + " is not known");
    }
    if (job != NO_JOB && !jobThere.test(job)) {
      return damage.leaveOut("client", index, "job record " + job + " is not in use");
    }
    long unitBytes = region.unitBytes();
    long[] lease = client.byDevice("lease");
    return Optional.of(
        new Client(
            index,
            job == NO_JOB ? Optional.empty() : Optional.of((int) job),
            client.i32("pid"),
            client.u64("pid_namespace"),
            sizes.anyOf("client", index, client.byDevice("contexts")),
            sizes.anyOf("client", index, leased(lease, unitBytes)),
            sizes.anyOf("client", index, inUse(lease, unitBytes))));
  }

  private static long[] leased(long[] lease, long unitBytes) {
    long[] bytes = new long[lease.length];
    for (int device = 0; device < bytes.length; device++) {
      bytes[device] = (lease[device] >>> 32) * unitBytes;
    }
    return bytes;
  }

  private static long[] inUse(long[] lease, long unitBytes) {
    long[] bytes = new long[lease.length];
    for (int device = 0; device < bytes.length; device++) {
      bytes[device] = (lease[device] & USED_UNITS) * unitBytes;
    }
    return bytes;
  }
}
