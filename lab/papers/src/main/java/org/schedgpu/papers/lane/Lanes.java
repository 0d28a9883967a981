package org.schedgpu.papers.lane;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The lanes of a device and the memory that they and their members have. The persistent memory of
 * all members and the sizes of all lanes never exceed the capacity (Salus, section 3.3.2).
 */
final class Lanes {
  private final long capacityBytes;
  private final int most;
  private final Supplier<Turn> turns;
  private final TreeMap<Integer, Lane> lanes = new TreeMap<>();
  private long persistentBytes;
  private long joined;

  /**
   * @param most how many lanes there may be at a time
   * @param turns makes the turn of a new lane
   */
  Lanes(long capacityBytes, int most, Supplier<Turn> turns) {
    this.capacityBytes = capacityBytes;
    this.most = most;
    this.turns = turns;
  }

  /** What the members keep and the lanes take. */
  long usedBytes() {
    long used = persistentBytes;
    for (Lane lane : lanes.values()) {
      used += lane.sizeBytes();
    }
    return used;
  }

  List<Lane> all() {
    return List.copyOf(lanes.values());
  }

  /** Assigns a lane to a job if one is found. */
  boolean join(Member member) {
    Optional<Lane> found = find(member.job.memory());
    found.ifPresent(
        lane -> {
          lane.members.add(member);
          member.lane = lane;
          member.joined = joined++;
          persistentBytes += member.job.memory().persistentBytes();
        });
    return found.isPresent();
  }

  /** A job leaves its lane; the lane shrinks, and ends with its last member. */
  void leave(Member member) {
    Lane lane = member.lane;
    lane.members.remove(member);
    persistentBytes -= member.job.memory().persistentBytes();
    if (lane.members.isEmpty()) {
      lanes.remove(lane.index);
    }
  }

  /** Algorithm 1 of Salus: a new lane, else the best match, else the smallest that can grow. */
  private Optional<Lane> find(LaneJob.Memory memory) {
    long free = capacityBytes - usedBytes() - memory.persistentBytes();
    long ephemeral = memory.ephemeralBytes();
    if (ephemeral <= free && lanes.size() < most) {
      return Optional.of(open());
    }
    return free < 0 ? Optional.empty() : smallestFor(ephemeral, free);
  }

  /**
   * The smallest lane that is large enough; if none is, the smallest that can grow. Of equals, the
   * lowest index.
   */
  private Optional<Lane> smallestFor(long ephemeral, long free) {
    Lane fits = null;
    Lane grows = null;
    for (Lane lane : lanes.values()) {
      long size = lane.sizeBytes();
      if (size >= ephemeral) {
        fits = fits == null || size < fits.sizeBytes() ? lane : fits;
      } else if (ephemeral - size <= free) {
        grows = grows == null || size < grows.sizeBytes() ? lane : grows;
      }
    }
    return Optional.ofNullable(fits != null ? fits : grows);
  }

  private Lane open() {
    int index = 0;
    while (lanes.containsKey(index)) {
      index++;
    }
    Lane lane = new Lane(index, turns.get());
    lanes.put(index, lane);
    return lane;
  }
}
