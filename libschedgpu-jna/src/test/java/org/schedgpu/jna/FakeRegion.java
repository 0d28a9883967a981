package org.schedgpu.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * A region written by hand, in a layout that shares only the names with the real one: 2 devices, 3
 * jobs, 4 clients, 3 waiters, 4 ended jobs, 2 lanes, 4 turns.
 */
final class FakeRegion {
  static final int HEADER_SIZE = 128;
  static final int DEVICE_SIZE = 192;
  static final int JOB_SIZE = 400;
  static final int CLIENT_SIZE = 128;
  static final int WAITER_SIZE = 96;
  static final int ENDED_SIZE = 336;
  static final int LANE_SIZE = 64;
  static final int TURN_SIZE = 32;

  private final Map<String, Long> layout = new TreeMap<>();
  private final ByteBuffer bytes;

  FakeRegion() {
    int end = HEADER_SIZE;
    fields("region", 4, "version", "policy", "device_count", "overtake_limit", "deadlock_rule");
    fields(
        "region",
        32,
        "grace_ns",
        "created_ns",
        "recoveries",
        "reaped_clients",
        "grants",
        "refusals");
    end = table("device", end, DEVICE_SIZE, 2);
    fields("device", 4, "state");
    fields("device", 8, "total_bytes", "reserved_bytes", "context_bytes", "used_bytes");
    layout.put("device.uuid", 48L);
    layout.put("device.name", 96L);
    layout.put("device.unreserved_bytes", 160L);
    layout.put("device.foreign_bytes", 168L);
    end = table("job", end, JOB_SIZE, 3);
    fields("job", 4, "state", "kind", "uid", "mode", "priority", "device_mask", "flags");
    layout.put("job.held_mask", 28L);
    fields("job", 32, "id", "begun_ns", "wait_ns");
    layout.put("job.processes", 56L);
    layout.put("job.admitted", 60L);
    layout.put("job.budget_bytes", 64L);
    layout.put("job.reserved_bytes", 96L);
    layout.put("job.name", 128L);
    layout.put("job.overrun_bytes", 192L);
    fields("job", 208, "held_since_ns", "held_ns", "waited_ns", "waits", "peak_bytes");
    fields("job", 264, "refused_bytes", "refusals");
    fields("job", 280, "lane_policy", "share", "length_ns", "persistent_bytes", "lane");
    fields("job", 320, "service_ns", "turns", "switches", "credit_ns");
    fields("job", 352, "turn_waited_ns", "kept_bytes", "context_peak_bytes");
    end = table("client", end, CLIENT_SIZE, 4);
    fields("client", 4, "state", "job", "pid");
    fields("client", 16, "pid_namespace");
    layout.put("client.contexts", 32L);
    layout.put("client.lease", 64L);
    layout.put("client.refused", 96L);
    end = table("waiter", end, WAITER_SIZE, 3);
    fields("waiter", 4, "state", "client", "job", "device", "device_mask", "kind");
    layout.put("waiter.priority", 24L);
    layout.put("waiter.overtaken", 28L);
    fields("waiter", 32, "ticket", "bytes", "since_ns", "deadline_ns");
    end = table("ended", end, ENDED_SIZE, 4);
    fields("ended", 4, "kind", "uid", "priority", "mode", "device_mask");
    layout.put("ended.waits", 24L);
    fields("ended", 32, "sequence", "id", "begun_ns", "ended_ns", "waited_ns", "held_ns");
    fields("ended", 80, "budget_bytes", "unused", "peak_bytes");
    layout.put("ended.name", 128L);
    fields("ended", 200, "refused_bytes", "refusals", "lane_policy", "turns", "switches");
    fields("ended", 240, "service_ns", "turn_waited_ns", "kept_bytes", "context_peak_bytes");
    end = table("lane", end, LANE_SIZE, 2);
    fields("lane", 4, "waiting", "members", "device", "policy");
    fields("lane", 16, "turn", "bytes", "begun_ns", "switches", "busy_ns", "idle_since_ns");
    end = table("turn", end, TURN_SIZE, 4);
    fields("turn", 4, "state", "overtaken");
    fields("turn", 8, "ticket", "since_ns");
    layout.put("sizeof.region", (long) end);
    layout.put("layout.unit_bytes", 512L);
    bytes = ByteBuffer.allocate(end).order(ByteOrder.nativeOrder());
  }

  /** Places 32-bit fields from offset 4 or 8, 64-bit fields from any other start. */
  private void fields(String table, int start, String... names) {
    int size = start == 4 ? 4 : 8;
    int at = start == 4 ? 0 : start;
    for (String name : names) {
      layout.put(table + "." + name, (long) at);
      at += size;
    }
  }

  private int table(String name, int offset, int stride, int count) {
    layout.put(name + ".offset", (long) offset);
    layout.put(name + ".stride", (long) stride);
    layout.put(name + ".count", (long) count);
    return offset + stride * count;
  }

  private int at(String table, int record, String field) {
    long base =
        table.equals("region")
            ? 0
            : layout.get(table + ".offset") + layout.get(table + ".stride") * record;
    return Math.toIntExact(base + layout.get(table + "." + field));
  }

  FakeRegion u32(String table, int record, String field, long value) {
    bytes.putInt(at(table, record, field), (int) value);
    return this;
  }

  FakeRegion u64(String table, int record, String field, long value) {
    return u64(table, record, field, 0, value);
  }

  FakeRegion u64(String table, int record, String field, int element, long value) {
    bytes.putLong(at(table, record, field) + element * Long.BYTES, value);
    return this;
  }

  FakeRegion text(String table, int record, String field, String value) {
    bytes.put(at(table, record, field), value.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  FakeRegion fill(byte value) {
    java.util.Arrays.fill(bytes.array(), value);
    return this;
  }

  byte[] bytes() {
    return bytes.array();
  }

  RegionLayout layout() {
    return RegionLayout.of(layout);
  }

  RegionSnapshot parse() {
    return new SnapshotParser(ByteBuffer.wrap(bytes.array()), layout(), RegionSnapshot.nowNs())
        .parse(SnapshotParser::allEnded);
  }

  /**
   * One device of 16 GiB, a job of mode peak that holds 6 GiB of it with one process, and another
   * job that waits.
   */
  static FakeRegion busy() {
    FakeRegion region = new FakeRegion();
    long gib = 1L << 30;
    region.u32("region", 0, "version", 1).u32("region", 0, "policy", 2);
    region.u32("region", 0, "device_count", 1).u32("region", 0, "overtake_limit", 64);
    region.u32("region", 0, "deadlock_rule", 1);
    region.u64("region", 0, "grace_ns", 5).u64("region", 0, "created_ns", 6);
    region.u64("region", 0, "recoveries", 7).u64("region", 0, "reaped_clients", 8);
    region.u64("region", 0, "grants", 9);
    region.u32("device", 0, "state", 1).u64("device", 0, "total_bytes", 16 * gib);
    region.u64("device", 0, "reserved_bytes", gib).u64("device", 0, "context_bytes", gib / 4);
    region.u64("device", 0, "used_bytes", 6 * gib + gib / 4);
    region.text("device", 0, "uuid", "GPU-1").text("device", 0, "name", "Emulated GPU");
    region.job(0, 1, 4711).u32("job", 0, "held_mask", 1);
    region.u64("job", 0, "budget_bytes", 0, 6 * gib).u64("job", 0, "reserved_bytes", 0, 6 * gib);
    region.job(2, 2, 99).u64("job", 2, "budget_bytes", 0, 12 * gib).u32("job", 2, "flags", 1);
    region.u64("job", 2, "wait_ns", -1);
    region.u32("client", 1, "state", 1).u32("client", 1, "job", 0).u32("client", 1, "pid", 1234);
    region.u64("client", 1, "pid_namespace", 77).u64("client", 1, "contexts", 0, gib / 4);
    region.u64("client", 1, "lease", 0, (6 * gib / 512) << 32 | 2 * gib / 512);
    region.u32("client", 3, "state", 1).u32("client", 3, "job", 2).u32("client", 3, "pid", 1235);
    region.waiter(0, 3, 2, 1, 12 * gib).u64("waiter", 0, "ticket", 10);
    return region;
  }

  /**
   * Both jobs have a lane of policy `srtf`, in which the process of the first has the turn, and
   * that of the second waits for it.
   */
  static FakeRegion withLane() {
    FakeRegion region = busy();
    for (int job : new int[] {0, 2}) {
      region.u32("job", job, "lane_policy", 2).u32("job", job, "share", 2);
      region.u32("job", job, "lane", 2).u64("job", job, "persistent_bytes", 1L << 30);
    }
    region.u64("job", 0, "length_ns", 70).u64("job", 0, "service_ns", 40).u64("job", 0, "turns", 4);
    region.u64("job", 0, "credit_ns", 10).u64("job", 0, "switches", 3);
    region.u64("job", 0, "turn_waited_ns", 50).u64("job", 0, "kept_bytes", 1L << 29);
    region.u32("lane", 1, "members", 2).u32("lane", 1, "waiting", 1).u32("lane", 1, "policy", 2);
    region.u64("lane", 1, "turn", 1L << 32 | 2).u64("lane", 1, "bytes", 11L << 30);
    region.u64("lane", 1, "begun_ns", 500).u64("lane", 1, "switches", 3);
    region.u64("lane", 1, "busy_ns", 25).u64("lane", 1, "idle_since_ns", 450);
    region.u32("turn", 3, "state", 1).u32("turn", 3, "overtaken", 5);
    return region.u64("turn", 3, "ticket", 17).u64("turn", 3, "since_ns", 600);
  }

  FakeRegion job(int record, int kind, long id) {
    u32("job", record, "state", 1).u32("job", record, "kind", kind).u64("job", record, "id", id);
    u32("job", record, "uid", 1000)
        .u32("job", record, "mode", 1)
        .u32("job", record, "priority", 50);
    u32("job", record, "processes", 1).u32("job", record, "admitted", 1);
    u32("job", record, "device_mask", 1).u64("job", record, "begun_ns", 100);
    return text("job", record, "name", "train");
  }

  FakeRegion waiter(int record, int client, int job, int kind, long size) {
    u32("waiter", record, "state", 1).u32("waiter", record, "client", client);
    u32("waiter", record, "job", job).u32("waiter", record, "kind", kind);
    u32("waiter", record, "device_mask", 1).u32("waiter", record, "priority", 50);
    u64("waiter", record, "bytes", size).u64("waiter", record, "since_ns", 1000);
    return u64("waiter", record, "deadline_ns", -1);
  }

  /** An ended job on the first device: it asked for 6 GiB and used 2 GiB. */
  FakeRegion ended(int record, long sequence, long id) {
    u64("ended", record, "sequence", sequence).u64("ended", record, "id", id);
    u32("ended", record, "kind", 1).u32("ended", record, "uid", 1000);
    u32("ended", record, "priority", 50).u32("ended", record, "mode", 1);
    u32("ended", record, "device_mask", 1).u64("ended", record, "waits", 3);
    u64("ended", record, "begun_ns", 100).u64("ended", record, "ended_ns", 900);
    u64("ended", record, "waited_ns", 300).u64("ended", record, "held_ns", 400);
    u64("ended", record, "refused_bytes", 5L << 30).u32("ended", record, "refusals", 4);
    u64("ended", record, "budget_bytes", 0, 6L << 30)
        .u64("ended", record, "peak_bytes", 0, 2L << 30)
        .u64("ended", record, "context_peak_bytes", 0, 1L << 30);
    return text("ended", record, "name", "train");
  }
}
