package org.schedgpu.model;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;

/** The lanes that schedgpu_core_read_lanes() writes. */
final class CoreLanes {
  /** The slot of a turn that nobody has. */
  static final long NOBODY = 0xFFFF_FFFFL;

  /** A lane with members. */
  record LaneState(
      long index, long device, long policy, long bytes, long members, long holder, boolean busy) {}

  /** A job in a lane. */
  record Member(long job, long lane, long persistentBytes, long serviceNs) {}

  /** A wait for a turn. */
  record Wait(long slot, long lane, long ticket, long overtaken, boolean given) {}

  private final LongBuffer words;
  private final List<LaneState> lanes = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final List<Wait> waits = new ArrayList<>();
  private int next;

  CoreLanes(LongBuffer words) {
    this.words = words;
  }

  void parse() {
    next = 0;
    readEach(lanes, this::readLane);
    readEach(members, this::readMember);
    readEach(waits, this::readWait);
  }

  private interface Reader<T> {
    T read();
  }

  private <T> void readEach(List<T> list, Reader<T> reader) {
    list.clear();
    for (long left = word(); left > 0; left--) {
      list.add(reader.read());
    }
  }

  private LaneState readLane() {
    return new LaneState(word(), word(), word(), word(), word(), word(), word() != 0);
  }

  private Member readMember() {
    Member member = new Member(word(), word(), word(), word());
    word(); // the number of turns
    return member;
  }

  private Wait readWait() {
    return new Wait(word(), word(), word(), word(), word() != 0);
  }

  private long word() {
    return words.get(next++);
  }

  List<LaneState> lanes() {
    return lanes;
  }

  List<Member> members() {
    return members;
  }

  List<Wait> waits() {
    return waits;
  }
}
