package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * A process that holds memory is killed. When does NVML report the memory as free, when does the
 * core grant it to the waiter, and does the waiter ever get an out-of-memory error?
 */
final class KillCheck implements Section {
  private static final int ROUNDS = 5;
  private static final long MAX_EMULATED_BYTES = 256 * Check.MIB;
  private static final double KERNEL_MS = 3000;
  private static final Duration WAIT = Duration.ofSeconds(40);
  private static final Duration FIRST_ROUND = Duration.ofSeconds(3);
  private static final Duration ROUND_RESERVE = Duration.ofSeconds(12);

  private final List<Handover> handovers = new ArrayList<>();
  private Check check;
  private Kernels kernels;

  /**
   * Times after the kill.
   *
   * @param freeMs until NVML no longer counted the memory; negative: the waiter had it before NVML
   *     reported that
   * @param servedMs until the waiter was no longer in the region's queue
   * @param gotMs until the waiter's allocation returned
   * @param early true if the driver had to be asked again because it had not freed the memory yet
   */
  record Handover(String what, double freeMs, double servedMs, double gotMs, boolean early) {}

  @Override
  public String name() {
    return "death";
  }

  @Override
  public String question() {
    return "Is a dead process's memory handed over without an error?";
  }

  /** For the picture. */
  List<Handover> handovers() {
    return handovers;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    kernels = Kernels.measure(check);
    rounds("holder killed while idle", List.of(), false);
    rounds("holder killed in a kernel", List.of(kernels.startLine(KERNEL_MS)), false);
    rounds("killed in a kernel, agent", List.of(kernels.startLine(KERNEL_MS)), true);
  }

  private void rounds(String what, List<String> lastLines, boolean agent)
      throws InterruptedException {
    List<Handover> seen = new ArrayList<>();
    if (!check.deadline().allows(FIRST_ROUND)) {
      check.findings().notDone(what, "no time left");
      return;
    }
    for (int i = 0; i < ROUNDS && (i < 1 || check.allows(ROUND_RESERVE)); i++) {
      try {
        seen.add(round(what, lastLines, agent));
      } catch (CheckException problem) {
        check.findings().broken(what, problem);
        return;
      }
    }
    handovers.addAll(seen);
    double free = most(seen.stream().map(Handover::freeMs).toList());
    double served = most(seen.stream().map(Handover::servedMs).toList());
    double got = most(seen.stream().map(Handover::gotMs).toList());
    long early = seen.stream().filter(Handover::early).count();
    check
        .findings()
        .passed(
            what,
            "free %.0f ms, granted %.0f ms, had %.0f ms after it; early %d of %d"
                .formatted(free, served, got, early, seen.size()),
            Map.of(
                "mostFreeMs", free,
                "mostGrantedMs", served,
                "mostHadMs", got,
                "early", early,
                "rounds", seen.size()));
  }

  private static double most(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(-1);
  }

  /** Each job holds three fifths of the device, so the second waits for the first. */
  @SuppressWarnings("try") // the region of another section has the agent
  private Handover round(String what, List<String> lastLines, boolean agent)
      throws InterruptedException {
    long bytes = check.machine().totalBytes() * 3 / 5 / Check.MIB * Check.MIB;
    Wish wish = Wish.budget(bytes + 4 * Check.MIB);
    try (Region region = check.region()) {
      long first = region.begin(wish);
      long second = region.begin(wish);
      try (Program watching = agent ? region.startAgent(check) : null;
          Program holder = check.start(check.deviceProgram(), region.environmentOf(first));
          Program waiter = check.start(check.deviceProgram(), region.environmentOf(second))) {
        holder.must("begin 0");
        holder.must("load");
        holder.must("alloc 0 " + bytes);
        holder.must("touch 0 " + touchedBytes(bytes));
        waiter.must("begin 0");
        waiter.tell("alloc 0 " + bytes);
        await(region, 1);
        for (String line : lastLines) {
          holder.must(line);
        }
        Handover handover = handOver(what, region, holder, waiter, bytes);
        waiter.must("touch 0 " + touchedBytes(bytes));
        waiter.must("check 0 " + bytes);
        return handover;
      } finally {
        region.end(first);
        region.end(second);
      }
    }
  }

  /** An emulated device is the host's memory, of which there is less. */
  private long touchedBytes(long bytes) {
    return check.machine().emulated() ? Math.min(bytes, MAX_EMULATED_BYTES) : bytes;
  }

  private void await(Region region, int waiters) throws InterruptedException {
    Deadline limit = check.deadline().within(WAIT);
    while (waiting(region) != waiters) {
      if (limit.isOver()) {
        throw check.late("%d wait, not %d".formatted(waiting(region), waiters));
      }
      Thread.sleep(1);
    }
  }

  private static long waiting(Region region) {
    return region.snapshot().waiters().stream()
        .filter(w -> !w.granted())
        .map(Waiter::client)
        .count();
  }

  private Handover handOver(String what, Region region, Program holder, Program waiter, long bytes)
      throws InterruptedException {
    long usedBefore = check.usedBytes();
    long killedNs = System.nanoTime();
    holder.kill();
    long freeNs = 0;
    long servedNs = 0;
    Answer answer = null;
    Deadline limit = check.deadline().within(WAIT);
    while (answer == null) {
      long nowNs = System.nanoTime();
      freeNs = freeNs == 0 && check.usedBytes() <= usedBefore - bytes / 2 ? nowNs : freeNs;
      servedNs = servedNs == 0 && waiting(region) == 0 ? nowNs : servedNs;
      answer = waiter.poll();
      if (limit.isOver()) {
        throw check.late("the waiter was not served within " + WAIT.toSeconds() + " s");
      }
    }
    if (!answer.isDone()) {
      throw new CheckException("the waiter's allocation gave error " + answer.result());
    }
    return new Handover(
        what,
        freeNs == 0 ? -1 : (freeNs - killedNs) / 1e6,
        servedNs == 0 ? (answer.atNs() - killedNs) / 1e6 : (servedNs - killedNs) / 1e6,
        (answer.atNs() - killedNs) / 1e6,
        waiter.errors().contains("has not yet freed"));
  }
}
