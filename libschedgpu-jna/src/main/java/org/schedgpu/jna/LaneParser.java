package org.schedgpu.jna;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Turn;

/** The lanes of a snapshot, and the processes that wait for the turn of one. */
final class LaneParser {
  private static final long HOLDER = 0xffffffffL;
  private static final long BUSY = 1L << 32;
  private static final int GRANTED = 2;

  private final RegionBytes region;
  private final Damage damage;
  private final IntFunction<Optional<Integer>> jobOfClient;

  /**
   * @param jobOfClient the job of a process by their records; empty if one of them is not there
   */
  LaneParser(RegionBytes region, Damage damage, IntFunction<Optional<Integer>> jobOfClient) {
    this.region = region;
    this.damage = damage;
    this.jobOfClient = jobOfClient;
  }

  /** The lanes that have members, by record. */
  List<Lane> lanes() {
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < region.count("lane"); i++) {
      if (region.record("lane", i).u32("members") != 0) {
        lane(i).ifPresent(lanes::add);
      }
    }
    return Collections.unmodifiableList(lanes);
  }

  private Optional<Lane> lane(int index) {
    RegionBytes.Row lane = region.record("lane", index);
    Optional<LanePolicy> policy = LanePolicy.of(lane.u32("policy"));
    long device = lane.u32("device");
    if (policy.isEmpty() || device >= region.count("device") || lane.u64("bytes") < 0) {
      return damage.leaveOut(
          "lane",
          index,
          "policy "
              + lane.u32("policy")
              + ", device "
              + device
              + ", "
              + Long.toUnsignedString(lane.u64("bytes"))
              + " bytes");
    }
    long turn = lane.u64("turn");
    Optional<Integer> holder = holder(index, turn);
    return Optional.of(
        new Lane(
            index,
            (int) device,
            policy.get(),
            lane.u64("bytes"),
            lane.u32("members"),
            holder,
            holder.isPresent() && (turn & BUSY) != 0,
            lane.u64("begun_ns"),
            Math.max(0, lane.u64("busy_ns")),
            Math.max(0, lane.u64("idle_since_ns")),
            lane.u32("waiting"),
            Math.max(0, lane.u64("switches"))));
  }

  private Optional<Integer> holder(int index, long turn) {
    long slot = (turn & HOLDER) - 1; // 0 is nobody
    if (slot < 0) {
      return Optional.empty();
    }
    if (slot >= region.count("client") || jobOfClient.apply((int) slot).isEmpty()) {
      damage.note("lane record " + index + ": turn of client record " + slot);
      return Optional.empty();
    }
    return Optional.of((int) slot);
  }

  /** The processes that wait for a turn, oldest first. */
  List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (int client : region.used("turn")) {
      turn(client).ifPresent(turns::add);
    }
    turns.sort(Comparator.comparingLong(Turn::ticket));
    return Collections.unmodifiableList(turns);
  }

  private Optional<Turn> turn(int index) {
    RegionBytes.Row turn = region.record("turn", index);
    Optional<Integer> job =
        index < region.count("client") ? jobOfClient.apply(index) : Optional.empty();
    if (turn.u32("state") > GRANTED || job.isEmpty()) {
      return damage.leaveOut("turn", index, "state " + turn.u32("state"));
    }
    return Optional.of(
        new Turn(
            index,
            job.get(),
            turn.u32("state") == GRANTED,
            turn.u64("ticket"),
            turn.u64("since_ns"),
            turn.u32("overtaken")));
  }
}
