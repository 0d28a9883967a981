package org.schedgpu.papers.phases;

import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.Map;
import org.schedgpu.jna.CoreLibrary;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Policy;

/**
 * A device with schedGPU: every decision is that of libschedgpu's core, in mode peak, under the
 * clock of the simulation. Thread-safety: one thread drives all of them.
 */
public final class CoreMemory implements DeviceMemory {
  private static final int DEVICE = 0;
  private static final int DEVICE_MASK = 1;
  private static final int MEMORY = 0;
  private static final int CONTEXT = 1;
  private static final int UID = 1;
  private static final int ONE_PROCESS = 1;

  /** Words of {@link CoreLibrary#read}: see schedgpu_core.h. */
  private static final int COUNTS = 6;

  private static final int DEVICE_WORDS = 3;
  private static final int JOB_WORDS = 9 + 2;
  private static final int PROCESS_WORDS = 2 + 2;
  private static final int WAITER_WORDS = 2;

  private final CoreLibrary core;
  private final long totalBytes;
  private final long contextBytes;
  private final int[] slots;
  private final Map<Long, Integer> jobOfTicket = new HashMap<>();

  /**
   * @param overtakeLimit of schedgpu.conf
   * @param jobs how many there are
   */
  public CoreMemory(
      long totalBytes, long contextBytes, Policy policy, int overtakeLimit, int jobs) {
    this.totalBytes = totalBytes;
    this.contextBytes = contextBytes;
    this.slots = new int[jobs];
    this.core =
        new CoreLibrary(
            new long[] {totalBytes},
            new long[] {0},
            new long[] {contextBytes},
            policy.number(),
            overtakeLimit,
            0,
            DeadlockRule.AVOID.number());
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public long contextBytes() {
    return contextBytes;
  }

  @Override
  public void begin(int job, PhasedJob of, long nowNs) {
    check(
        of.name(),
        core.jobBegin(
            job,
            UID,
            Mode.PEAK.number(),
            false,
            new long[] {of.budgetBytes()},
            of.priority(),
            ONE_PROCESS,
            DEVICE_MASK,
            CoreLibrary.NONE,
            nowNs));
    slots[job] = core.attach(job);
    check(of.name(), slots[job]);
  }

  @Override
  public Answer context(int job, long nowNs) {
    return ask(job, 0, CONTEXT, nowNs);
  }

  @Override
  public Answer allocate(int job, long bytes, long nowNs) {
    return ask(job, bytes, MEMORY, nowNs);
  }

  private Answer ask(int job, long bytes, int kind, long nowNs) {
    int rc = core.ask(slots[job], DEVICE, bytes, kind, true, nowNs);
    if (rc == ErrorCode.EWOULDBLOCK.number() && core.ticket() != 0) {
      jobOfTicket.put(core.ticket(), job);
      return Answer.WAITS;
    }
    check("job " + job, rc);
    return Answer.OK;
  }

  @Override
  public void free(int job, long bytes, long nowNs) {
    check("job " + job, core.giveBack(slots[job], DEVICE, bytes, nowNs));
  }

  @Override
  public void end(int job, long nowNs) {
    core.remove(slots[job], nowNs);
    check("job " + job, core.jobEnd(job, nowNs));
  }

  @Override
  public int nextGranted(long nowNs) {
    long ticket = firstGranted();
    if (ticket == 0) {
      return -1;
    }
    int job = jobOfTicket.remove(ticket);
    check("job " + job, core.settle(slots[job], ticket, nowNs));
    return job;
  }

  /** The oldest ticket that was granted and not yet taken; 0 if there is none. */
  private long firstGranted() {
    core.read();
    LongBuffer words = CoreLibrary.words();
    long at =
        COUNTS
            + DEVICE_WORDS * words.get(0)
            + JOB_WORDS * words.get(1)
            + PROCESS_WORDS * words.get(2);
    long first = 0;
    for (long waiter = 0; waiter < words.get(3); waiter++, at += WAITER_WORDS) {
      long ticket = words.get((int) at);
      if (words.get((int) at + 1) != 0 && (first == 0 || ticket < first)) {
        first = ticket;
      }
    }
    return first;
  }

  private static void check(String who, int result) {
    if (result < 0) {
      throw new IllegalStateException(
          who
              + ": the core answers "
              + ErrorCode.of(result)
              + ": check that the job's budget and context fit on the device");
    }
  }

  @Override
  public void close() {
    core.close();
  }
}
