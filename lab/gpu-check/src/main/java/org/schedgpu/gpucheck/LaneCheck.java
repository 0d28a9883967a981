package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.schedgpu.gpucheck.LaneProgram.Work;
import org.schedgpu.jna.RegionSnapshot.Lane;

/**
 * Lanes: programs whose budgets do not fit together take turns. The phases of each check follow
 * what the programs did, and not a clock, so a slow machine changes no result.
 */
final class LaneCheck implements Section {
  static final int SERVERS = 20;
  private static final double KERNEL_MS = 20;
  private static final double REQUEST_MS = 5;

  /** The part of the time in which servers compute. */
  private static final double BUSY = 0.15;

  private static final int PAIRS = 3;
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final int LOOK_MS = 5;
  private static final int MAX_ITERATIONS = 1_000_000;
  private static final long HOUR_MS = 3_600_000;
  private static final Duration NEEDED = Duration.ofSeconds(20);
  private static final Duration NEEDED_BRIEF = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final int EPHEMERAL_PERCENT = 51;
  private static final int ALL_PERCENT = 95;
  private static final List<String> NAMES = List.of("first", "second", "third");

  /** The long training of {@code srtf}, and the short ones in the order of their starts. */
  private static final int LONG = 100;

  private static final List<Integer> SHORT = List.of(17, 10, 25, 6, 12);

  private final List<Share> shares = new ArrayList<>();
  private Check check;
  private Deadline section;
  private Kernels kernels;

  /**
   * What a training had in a phase.
   *
   * @param rate its iterations per second
   * @param part of all iterations in the phase
   */
  record Share(String name, int programs, double rate, double part) {}

  /** What a check does with a region of its own. */
  private interface Story {
    void play(Region region, List<LaneProgram> programs) throws InterruptedException;
  }

  @Override
  public String name() {
    return "lanes";
  }

  @Override
  public String question() {
    return "Do programs that do not fit together take turns?";
  }

  /** For the picture. */
  List<Share> shares() {
    return shares;
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    section = given.deadline();
    kernels = Kernels.measure(check);
    check.step("memory of an iteration", MOMENT, this::memory);
    play("three equal trainings, fair", this::fair);
    torch("two PyTorch programs in a lane", false);
    torch("two PyTorch programs in a shared lane", true);
    play("a long training and five short ones, srtf", this::srtf);
    play("copies in a job with a share", (region, programs) -> CopyTurns.play(check, region));
    if (check.mode() != Mode.FIRST) {
      play(SERVERS + " inference servers, fair", this::servers);
    }
  }

  /** What it costs to take and return the memory of an iteration: a switch does both. */
  private void memory() throws InterruptedException {
    long bytes = ephemeralMib() * Check.MIB;
    try (Program program = check.start(check.deviceProgram())) {
      program.must("begin 0");
      program.must("pairs %d 1".formatted(bytes));
      double ms = program.must("pairs %d %d".formatted(bytes, PAIRS)) / 1e6 / PAIRS;
      check
          .findings()
          .measured(
              "memory of an iteration",
              "%s: allocate and free in %.2f ms".formatted(Check.size(bytes), ms),
              Map.of("bytes", bytes, "milliseconds", ms));
    }
  }

  private void torch(String what, boolean shared) throws InterruptedException {
    if (check.frameworks().has(Frameworks.TORCH)) {
      play(what, (region, programs) -> new TorchLanes(check, region).play(what, shared));
    } else {
      check.findings().skipped(what, check.frameworks().reason(Frameworks.TORCH));
    }
  }

  private void play(String what, Story story) throws InterruptedException {
    if (!section.allows(isBrief() ? NEEDED_BRIEF : NEEDED)) {
      check.findings().notDone(what, "no time left");
      return;
    }
    Duration longest = check.mode() == Mode.FIRST ? section.left().dividedBy(2) : LONGEST;
    check = check.with(section.within(longest));
    List<LaneProgram> programs = new ArrayList<>();
    try (Region region = check.laneRegion()) {
      try {
        story.play(region, programs);
      } finally {
        end(programs);
      }
    } catch (CheckException problem) {
      check.findings().broken(what, problem);
    }
  }

  /** As few rounds as show the turns. */
  private boolean isBrief() {
    return check.brief() || check.mode() == Mode.FIRST;
  }

  /** More than half of the device: of so much there is one lane. */
  private long ephemeralMib() {
    return check.machine().totalBytes() / Check.MIB * EPHEMERAL_PERCENT / 100;
  }

  /**
   * What each of so many programs may keep, beside its context, which grows by its kernel; may be
   * negative.
   */
  private long modelMib(int programs) {
    Machine machine = check.machine();
    long all = machine.totalBytes() * (ALL_PERCENT - EPHEMERAL_PERCENT) / 100;
    long bytes = (all - machine.reservedBytes()) / programs - machine.contextBytes() / 10 * 11;
    return bytes / Check.MIB;
  }

  /** A training, of which no two fit on the device together, and all take turns. */
  private Work training(String policy, int iterations, long lengthMs) {
    long modelMib = modelMib(1 + SHORT.size());
    return new Work(policy, modelMib, ephemeralMib(), KERNEL_MS, iterations, lengthMs);
  }

  private LaneProgram start(
      Region region,
      List<LaneProgram> programs,
      String name,
      Work work,
      List<String> options,
      Path go)
      throws InterruptedException {
    LaneProgram program = new LaneProgram(check, region, kernels, name, work, options, go);
    programs.add(program);
    return program;
  }

  private static void end(List<LaneProgram> programs) throws InterruptedException {
    for (LaneProgram program : programs) {
      program.end();
    }
    programs.clear();
  }

  /** Waits for something that the programs do, while none of them fails. */
  private void await(List<LaneProgram> programs, BooleanSupplier happened)
      throws InterruptedException {
    while (!happened.getAsBoolean()) {
      programs.forEach(LaneProgram::requireAlive);
      Thread.sleep(LOOK_MS);
    }
  }

  private static void make(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new CheckException("cannot make " + file, e);
    }
  }

  /** A file that does not exist yet. */
  private Path later() {
    Path file = check.file();
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new CheckException("cannot remove " + file, e);
    }
    return file;
  }

  private static List<Iteration> all(List<LaneProgram> programs) {
    return programs.stream().flatMap(program -> program.iterations().stream()).toList();
  }

  // --- three equal trainings: each begins when the one before has had its part

  private void fair(Region region, List<LaneProgram> programs) throws InterruptedException {
    int least = isBrief() ? 10 : 40;
    Path end = later();
    for (String name : NAMES) {
      LaneProgram last =
          start(
              region,
              programs,
              name,
              training("fair", MAX_ITERATIONS, HOUR_MS),
              List.of("-e", end.toString()),
              null);
      await(programs, () -> last.iterations().size() >= least);
    }
    long endNs = System.nanoTime();
    make(end);
    for (LaneProgram program : programs) {
      program.awaitEnd();
    }
    List<List<Iteration>> records = programs.stream().map(LaneProgram::iterations).toList();
    for (int count = 1; count <= NAMES.size(); count++) {
      long toNs = count < NAMES.size() ? records.get(count).get(0).askedNs() : endNs;
      phase(records.subList(0, count), records.get(count - 1).get(0).begunNs(), toNs);
    }
    judgeFair(
        Fairness.of(records, endNs),
        Iteration.together(all(programs)),
        foreignBeforeFirst(records));
  }

  private void phase(List<List<Iteration>> records, long fromNs, long toNs) {
    List<Double> rates =
        records.stream().map(record -> Iteration.rate(record, fromNs, toNs)).toList();
    double sum = rates.stream().mapToDouble(rate -> rate).sum();
    for (int i = 0; i < rates.size(); i++) {
      shares.add(new Share(NAMES.get(i), rates.size(), rates.get(i), rates.get(i) / sum));
    }
  }

  /** How many iterations of others began while the last training waited for its first turn. */
  private static long foreignBeforeFirst(List<List<Iteration>> records) {
    Iteration first = records.get(records.size() - 1).get(0);
    return records.subList(0, records.size() - 1).stream()
        .flatMap(List::stream)
        .filter(one -> one.begunNs() > first.askedNs() && one.begunNs() < first.begunNs())
        .count();
  }

  private void judgeFair(Fairness fairness, long together, long before) {
    double lagMs = fairness.lagNs() / 1e6;
    double longestMs = fairness.longestNs() / 1e6;
    check
        .findings()
        .judged(
            "three equal trainings, fair",
            fairness.holds(Check.LANE_QUANTUM_MS * 1_000_000) && together == 0,
            ("expected 100, then 50, then 33 %% of the iterations for each, one at a time;"
                    + " measured %s %%, %d at the same time; nobody who asked is more than %.0f ms"
                    + " behind, an iteration took at most %.0f ms; iterations per second: %s; the"
                    + " third began after %d iterations of others")
                .formatted(
                    phases(s -> "%.0f".formatted(100 * s.part())),
                    together,
                    lagMs,
                    longestMs,
                    phases(s -> "%.1f".formatted(s.rate())),
                    before),
            Map.of(
                "ratesPerSecond",
                shares.stream().map(Share::rate).toList(),
                "parts",
                shares.stream().map(Share::part).toList(),
                "atTheSameTime",
                together,
                "behindMs",
                lagMs,
                "longestMs",
                longestMs,
                "iterationsBeforeThird",
                before));
  }

  /** A value of each training in each phase. */
  private String phases(Function<Share, String> value) {
    return IntStream.rangeClosed(1, NAMES.size())
        .mapToObj(
            count ->
                shares.stream()
                    .filter(s -> s.programs() == count)
                    .map(value)
                    .collect(Collectors.joining(" + ")))
        .collect(Collectors.joining(", then "));
  }

  // --- a long training: the short ones wait in its first iteration

  private void srtf(Region region, List<LaneProgram> programs) throws InterruptedException {
    Path go = later();
    start(region, programs, "long", training("srtf", LONG, HOUR_MS), List.of(), go);
    await(programs, () -> region.snapshot().lanes().stream().anyMatch(Lane::busy));
    for (int iterations : SHORT) {
      Work work = training("srtf", iterations, (long) (iterations * KERNEL_MS));
      start(region, programs, "short-" + iterations, work, List.of(), null);
    }
    await(
        programs,
        () -> region.snapshot().lanes().stream().mapToLong(Lane::waiting).sum() == SHORT.size());
    long goNs = System.nanoTime();
    make(go);
    for (LaneProgram program : programs) {
      program.awaitEnd();
    }
    judgeSrtf(programs, goNs);
  }

  private void judgeSrtf(List<LaneProgram> programs, long goNs) {
    List<String> expected = new ArrayList<>();
    SHORT.stream().sorted().forEach(iterations -> expected.add("short-" + iterations));
    expected.add("long");
    List<LaneProgram> byEnd =
        programs.stream().sorted(Comparator.comparingLong(LaneCheck::endNs)).toList();
    List<String> ends = byEnd.stream().map(LaneProgram::name).toList();
    long together = Iteration.together(all(programs));
    check
        .findings()
        .judged(
            "a long training and five short ones, srtf",
            ends.equals(expected) && together == 0,
            "expected ends: %s, one at a time; measured: %s, %d at the same time"
                .formatted(
                    String.join(", ", expected),
                    byEnd.stream()
                        .map(one -> "%s %.2f s".formatted(one.name(), seconds(one, goNs)))
                        .collect(Collectors.joining(", ")),
                    together),
            Map.of(
                "ends", ends,
                "endSeconds", byEnd.stream().map(one -> seconds(one, goNs)).toList(),
                "atTheSameTime", together));
  }

  private static long endNs(LaneProgram program) {
    List<Iteration> iterations = program.iterations();
    return iterations.get(iterations.size() - 1).endedNs();
  }

  private static double seconds(LaneProgram program, long fromNs) {
    return (endNs(program) - fromNs) / 1e9;
  }

  // --- inference servers: requests come at random, each is an iteration

  /** A server, of which no two fit on the device together. */
  private Work server() {
    return new Work("fair", modelMib(SERVERS), ephemeralMib(), REQUEST_MS, MAX_ITERATIONS, HOUR_MS);
  }

  private void servers(Region region, List<LaneProgram> programs) throws InterruptedException {
    String what = SERVERS + " inference servers, fair";
    if (modelMib(SERVERS) < 1) {
      check.findings().skipped(what, "their contexts take too much of the device");
      return;
    }
    int requests = check.brief() ? 5 : 20;
    double aloneMs =
        served(region, programs, 1, requests).stream().mapToDouble(x -> x).average().orElse(0);
    end(programs); // its job is a member of the lane, too
    List<LaneProgram> many = new ArrayList<>();
    try {
      List<Double> latencies = served(region, many, SERVERS, requests);
      judgeServers(
          what, many, latencies.stream().map(ms -> ms - aloneMs).sorted().toList(), aloneMs);
    } finally {
      end(many);
    }
  }

  /** Runs servers until each has answered so many requests, all at once on the device. */
  private List<Double> served(Region region, List<LaneProgram> programs, int count, int requests)
      throws InterruptedException {
    Path end = later();
    long gapUs = (long) (count * REQUEST_MS * 1000 / BUSY);
    for (int i = 1; i <= count; i++) {
      List<String> options = List.of("-g", "" + gapUs, "-s", "" + i, "-e", end.toString());
      start(region, programs, "server " + i, server(), options, null);
    }
    await(
        programs, () -> region.snapshot().lanes().stream().mapToLong(Lane::members).sum() == count);
    await(programs, () -> programs.stream().allMatch(p -> p.iterations().size() >= requests));
    make(end);
    for (LaneProgram program : programs) {
      program.awaitEnd();
    }
    return all(programs).stream().map(Iteration::latencyMs).toList();
  }

  private void judgeServers(
      String what, List<LaneProgram> programs, List<Double> addedMs, double aloneMs) {
    long together = Iteration.together(all(programs));
    double mean = addedMs.stream().mapToDouble(ms -> ms).average().orElse(0);
    double late = addedMs.get((int) (0.99 * addedMs.size()));
    check
        .findings()
        .judged(
            what,
            together == 0,
            ("expected all on one device, which holds one budget at a time, one request at a time;"
                    + " measured %d on it, %d at the same time; a request takes %.2f ms alone, and"
                    + " %.2f ms more in the mean among them (Salus: below 5), 99 %% below %.1f ms")
                .formatted(programs.size(), together, aloneMs, mean, late),
            Map.of(
                "servers", programs.size(),
                "requests", addedMs.size(),
                "atTheSameTime", together,
                "aloneMs", aloneMs,
                "addedMeanMs", mean,
                "added99Ms", late));
  }
}
