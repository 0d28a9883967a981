package org.schedgpu.papers.paper004;

import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.schedgpu.jna.CoreLibrary;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.NodeCores;
import org.schedgpu.jna.Policy;

/**
 * A device with the lanes of libschedgpu's core, under the clock of the simulation: the core alone
 * decides who gets memory, a lane and a turn. Each job has one process, which allocates its
 * persistent memory before its first iteration. Jobs are named by their number, which is at least
 * 0. Thread-safety: one thread drives all of them.
 */
final class LaneDevice implements AutoCloseable {
  private static final int DEVICE = 0;
  private static final int MEMORY = 0;
  private static final int ROOT = 0;

  /** Words of {@link CoreLibrary#readLanes}: see schedgpu_core_lanes.h. */
  private static final int LANE_WORDS = 7;

  private static final int LANE_BYTES = 3;
  private static final int MEMBER_WORDS = 5;
  private static final int PERSISTENT_BYTES = 2;

  private final CoreLibrary core;
  private final LanePolicy policy;
  private final int[] slotOf;
  private final long[] ticketOf;
  private final int[] jobOf = new int[NodeCores.SLOTS];
  private final Deque<Integer> woken = new ArrayDeque<>();

  /** For so many jobs. */
  LaneDevice(LaneSettings settings, int jobs) {
    policy = settings.policy();
    slotOf = new int[jobs];
    ticketOf = new long[jobs];
    long[] none = {0};
    core =
        new CoreLibrary(
            new long[] {settings.capacityBytes()},
            none,
            none,
            Policy.MMU.number(),
            0,
            0,
            DeadlockRule.AVOID.number());
    check("the quantum", core.quantumSet(settings.quantumNs()));
    check("the number of lanes", core.lanesLimit(settings.lanes()));
  }

  /** A job asks for its persistent memory. True: it has it, and a lane; else it waits for that. */
  boolean enters(int job, LaneJob of, long nowNs) {
    LaneJob.Memory memory = of.memory();
    check(
        "job " + of.name(),
        core.laneJobBegin(
            job,
            ROOT,
            DEVICE,
            memory.persistentBytes() + memory.ephemeralBytes(),
            memory.persistentBytes(),
            policy.number(),
            of.share(),
            of.work().lengthKnown() ? of.work().lengthNs() : 0,
            of.priority(),
            nowNs));
    slotOf[job] = core.attach(job);
    check("job " + of.name(), slotOf[job]);
    jobOf[slotOf[job]] = job;
    int rc = core.ask(slotOf[job], DEVICE, memory.persistentBytes(), MEMORY, true, nowNs);
    ticketOf[job] = core.ticket();
    return !waits(job, rc, ErrorCode.EWOULDBLOCK);
  }

  /** A job that waited for its memory, and was woken, takes it. */
  void takesMemory(int job, long nowNs) {
    done(job, core.settle(slotOf[job], ticketOf[job], nowNs));
  }

  /** A job asks for the turn. True: its iteration begins; else it waits for the turn. */
  boolean asksForTurn(int job, long nowNs) {
    return !waits(job, core.iterationBegin(slotOf[job], DEVICE, nowNs), ErrorCode.ETURN);
  }

  /** A job that waited for the turn, and was woken, takes it. */
  void takesTurn(int job, long nowNs) {
    done(job, core.turnSettle(slotOf[job], nowNs));
  }

  void endsIteration(int job, long nowNs) {
    done(job, core.iterationEnd(slotOf[job], nowNs));
  }

  /** A waiting process looks, as each does from time to time. */
  void looks(long nowNs) {
    check("a look", core.look(nowNs));
    noteWoken();
  }

  /** The process of a job ends, and the job. */
  void leaves(int job, long nowNs) {
    done(job, core.laneJobEnd(slotOf[job], job, nowNs));
  }

  /** The next job that has what it waited for; null if there is none. */
  Integer nextWoken() {
    return woken.poll();
  }

  /**
   * What is used now.
   *
   * @param bytes persistent memory and lanes
   * @param lanes how many
   */
  record Use(long bytes, int lanes) {}

  Use use() {
    core.readLanes();
    LongBuffer words = CoreLibrary.laneWords();
    int lanes = (int) words.get(0);
    int members = 1 + lanes * LANE_WORDS;
    long bytes = 0;
    for (int at = 1; at < members; at += LANE_WORDS) {
      bytes += words.get(at + LANE_BYTES);
    }
    for (int i = 0; i < words.get(members); i++) {
      bytes += words.get(members + 1 + i * MEMBER_WORDS + PERSISTENT_BYTES);
    }
    return new Use(bytes, lanes);
  }

  private void done(int job, int rc) {
    noteWoken();
    check("job " + job, rc);
  }

  private boolean waits(int job, int rc, ErrorCode wait) {
    boolean waits = rc == wait.number();
    done(job, waits ? 0 : rc);
    return waits;
  }

  private void noteWoken() {
    for (int slot : core.woken()) {
      woken.add(jobOf[slot]);
    }
  }

  private static void check(String who, int result) {
    if (result < 0) {
      throw new IllegalStateException(
          "papers: %s: the core answers %s: check that each job fits on the device"
              .formatted(who, ErrorCode.of(result)));
    }
  }

  @Override
  public void close() {
    core.close();
  }
}
