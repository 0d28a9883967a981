package org.schedgpu.papers.lane;

import java.util.ArrayList;
import java.util.List;

/** A space for ephemeral memory, which its members use by turns. */
final class Lane {
  final int index;
  final List<Member> members = new ArrayList<>();
  final Turn turn;

  Lane(int index, Turn turn) {
    this.index = index;
    this.turn = turn;
  }

  /** The largest ephemeral memory of its members. */
  long sizeBytes() {
    long size = 0;
    for (Member member : members) {
      size = Math.max(size, member.job.memory().ephemeralBytes());
    }
    return size;
  }
}
