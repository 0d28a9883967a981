package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * Does the region's accounting agree with NVML? The check compares both after every kind of
 * allocation. Memory that only NVML sees may be promised to other jobs: that is a failure. Memory
 * that only the region counts is never dangerous, and is only shown.
 */
final class AccountingCheck implements Section {
  private static final long MIB = Check.MIB;

  /** The page size of the driver's allocations, as far as it is known. */
  private static final long PAGE_BYTES = 2 * MIB;

  private static final long SIZE_BYTES = 96 * MIB;
  private static final long[] ROUNDED_SIZES = {
    1, 4096, 65536, 512 << 10, MIB, MIB + 1, 2 * MIB, 2 * MIB + 1, 3 * MIB, 10 * MIB + 1
  };
  private static final int ROUNDED_COUNT = 16;
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final Duration IMPORT = Duration.ofSeconds(8);

  /** What is judged on a GPU that nobody has tried; of the others, figures come first. */
  private static final Set<String> PLAIN =
      Set.of("linear", "pitch", "stream-ordered", "virtual memory");

  private static final String SECOND_CONTEXT = "second context of a process";

  private final TorchTrainings trainings;
  private Check check;
  private long idleBytes;

  AccountingCheck(TorchTrainings trainings) {
    this.trainings = trainings;
  }

  /**
   * A kind of allocation.
   *
   * @param program of the bundle
   * @param takes lines that allocate
   * @param allocations number of blocks, because the driver may round each up to a page
   * @param gives lines that free
   */
  private record Kind(
      String name, String program, List<String> takes, int allocations, List<String> gives) {
    /** The region counts one context for each process; a larger use by contexts is only shown. */
    boolean isJudged() {
      return !name.equals(SECOND_CONTEXT);
    }
  }

  private static final List<Kind> KINDS =
      List.of(
          new Kind("linear", "device_program", take("alloc 0 %d"), 1, List.of("free 0")),
          new Kind("pitch", "device_program", List.of("pitch 0 3000 30000"), 1, List.of("free 0")),
          new Kind(
              "stream-ordered",
              "pool_program",
              take("async 0 %d 0", "sync 0"),
              1,
              List.of("free-async 0 0", "sync 0")),
          new Kind(
              "virtual memory",
              "physical_program",
              List.of("reserve 0 48", "create 0 48", "map 0 0 48 0", "release 0"),
              1,
              List.of("unmap 0 0 48")),
          new Kind(
              "managed",
              "device_program",
              List.of("managed 0 " + SIZE_BYTES, "touch 0 " + SIZE_BYTES),
              1,
              List.of("free 0")),
          new Kind(
              "own pool",
              "pool_program",
              List.of("create-pool 1 1 0", "from-pool 0 " + SIZE_BYTES + " 1 0", "sync 0"),
              1,
              List.of("free-async 0 0", "sync 0", "destroy-pool 1")),
          new Kind(
              "array",
              "array_program",
              List.of("array 0 4000 3000 0 32 2 0"),
              1,
              List.of("destroy 0")),
          new Kind(
              "mipmapped array",
              "array_program",
              List.of("mipmap 0 4096 2048 0 32 2 0 5"),
              1,
              List.of("destroy-mipmap 0")),
          new Kind(
              "graph",
              "pool_program",
              List.of(
                  "graph 0",
                  "add-alloc 0 0 " + SIZE_BYTES + " 0",
                  "add-free 0 0",
                  "instantiate 0 0 3",
                  "launch 0 0",
                  "sync 0"),
              1,
              List.of("destroy-exec 0", "trim-graphs 0")),
          new Kind(
              SECOND_CONTEXT,
              "device_program",
              List.of("create-context 0", "alloc 0 " + SIZE_BYTES),
              2,
              List.of("destroy-context", "use-primary")),
          new Kind(
              "green context",
              "device_program",
              List.of("green 0", "alloc 0 " + SIZE_BYTES),
              2,
              List.of("free 0", "use-primary", "end-green")),
          new Kind("module", "device_program", List.of("load"), 1, List.of("unload")),
          new Kind(
              "heap of kernels",
              "device_program",
              List.of("limit 2 " + SIZE_BYTES, "load", "start 1 1", "sync"),
              2,
              List.of("unload")));

  private static List<String> take(String first, String... others) {
    List<String> lines = new ArrayList<>(List.of(first.formatted(SIZE_BYTES)));
    lines.addAll(List.of(others));
    return lines;
  }

  @Override
  public String name() {
    return "books";
  }

  @Override
  public String question() {
    return "Do our books agree with NVML?";
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    idleBytes = check.usedBytes();
    try (Region region = check.region()) {
      check.step("a context takes", MOMENT, () -> contextSizes(region));
      kinds(region, true);
      frameworkContexts(region);
      kinds(region, false);
      check.step("shared by IPC", MOMENT, () -> sharedBetweenProcesses(region));
      check.step(LentMemory.NAME, MOMENT, () -> new LentMemory(check, region).run());
      check.step("rounding of allocations", MOMENT, () -> rounding(region));
    }
  }

  private void kinds(Region region, boolean plain) throws InterruptedException {
    for (Kind kind : KINDS) {
      if (PLAIN.contains(kind.name()) == plain) {
        check.step(kind.name(), MOMENT, () -> inItsOwnProcess(region, kind));
      }
    }
  }

  /** A process's memory according to NVML and to the region. */
  private record Entry(long nvml, long inUse, long contexts) {
    long ours() {
      return inUse + contexts;
    }
  }

  /**
   * If NVML does not report processes: the growth of the device's use since before the program
   * started.
   */
  private Entry entry(Region region, long job, Program program) {
    OptionalLong used = check.usedBytes(program.pid());
    long nvml = used.orElseGet(() -> check.usedBytes() - idleBytes);
    return new Entry(nvml, region.inUseBytes(job), region.contextBytes(job));
  }

  /** The growth of a context, step by step. The region counts the size measured at the start. */
  private void contextSizes(Region region) throws InterruptedException {
    long job = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    Map<String, Object> figures = new LinkedHashMap<>();
    try (Program program = check.start(check.deviceProgram(), region.environmentOf(job))) {
      program.must("begin 0");
      figures.put("contextBytes", entry(region, job, program).nvml());
      program.must("load");
      figures.put("withModuleBytes", entry(region, job, program).nvml());
      program.must("start 1 1");
      program.must("sync");
      figures.put("withKernelBytes", entry(region, job, program).nvml());
      check
          .findings()
          .measured(
              "a context takes",
              "%s, with a module %s, after a kernel %s"
                  .formatted(
                      size(figures, "contextBytes"),
                      size(figures, "withModuleBytes"),
                      size(figures, "withKernelBytes")),
              figures);
    }
    region.end(job);
  }

  private static String size(Map<String, Object> figures, String name) {
    return Check.size((Long) figures.get(name));
  }

  private void inItsOwnProcess(Region region, Kind kind) throws InterruptedException {
    long job = region.begin(Wish.budget(check.budgetBytes(8 * Check.GIB, 60)));
    List<String> command = List.of(check.bundle().program(kind.program()).toString(), "handle");
    try (Program program = check.start(command, region.environmentOf(job))) {
      program.must("begin 0");
      program.ask("stream 0"); // for programs with streams; in others slot 0 is the default stream
      Entry before = entry(region, job, program);
      if (takes(program, kind)) {
        Entry after = entry(region, job, program);
        for (String line : kind.gives()) {
          program.must(line);
        }
        compare(kind, before, after, entry(region, job, program));
      }
    }
    region.end(job);
  }

  /** True if the driver supports it. */
  private boolean takes(Program program, Kind kind) throws InterruptedException {
    for (String line : kind.takes()) {
      Answer answer = program.ask(line);
      if (answer.isNotThere()) {
        check.findings().skipped(kind.name(), "this driver has no such function");
        return false;
      }
      if (!answer.isDone()) {
        throw new CheckException("'%s' gave error %d".formatted(line, answer.result()));
      }
    }
    return true;
  }

  private void compare(Kind kind, Entry before, Entry after, Entry end) {
    long nvml = after.nvml() - before.nvml();
    long ours = after.ours() - before.ours();
    long allowed = kind.allocations() * PAGE_BYTES;
    long leftNvml = end.nvml() - before.nvml();
    long leftOurs = end.ours() - before.ours();
    String result =
        "NVML %s, books %+.1f MiB; freed: NVML %s, books %+.1f MiB"
            .formatted(
                Check.size(nvml),
                (ours - nvml) / (double) MIB,
                Check.size(leftNvml),
                (leftOurs - leftNvml) / (double) MIB);
    Map<String, Object> figures =
        Map.of(
            "nvmlBytes", nvml,
            "booksBytes", ours,
            "nvmlAfterFreeBytes", leftNvml,
            "booksAfterFreeBytes", leftOurs);
    if (!kind.isJudged()) {
      check.findings().measured(kind.name(), result, figures);
      return;
    }
    boolean right = nvml - ours <= allowed && leftNvml - leftOurs <= allowed;
    if (PLAIN.contains(kind.name())) {
      check.findings().judged(kind.name(), right, result, figures);
    } else {
      check.judgeLater(kind.name(), right, result, figures);
    }
  }

  /** A block that another process maps counts once, for the process that made it. */
  private void sharedBetweenProcesses(Region region) throws InterruptedException {
    long first = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    long second = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    Map<String, String> firsts = region.environmentOf(first);
    Map<String, String> seconds = region.environmentOf(second);
    String file = check.work().resolve("ipc").toString();
    firsts.put("GPU_CHECK_IPC_FILE", file);
    seconds.put("GPU_CHECK_IPC_FILE", file);
    try (Program maker = check.start(check.deviceProgram(), firsts);
        Program user = check.start(check.deviceProgram(), seconds)) {
      maker.must("begin 0");
      user.must("begin 0");
      maker.must("alloc 0 " + SIZE_BYTES);
      if (maker.ask("ipc-save 0").isNotThere()) {
        check.findings().skipped("shared by IPC", "this driver has no such function");
        return;
      }
      Entry before = entry(region, second, user);
      user.must("ipc-open 1");
      user.must("check 1 " + SIZE_BYTES);
      Entry after = entry(region, second, user);
      user.must("ipc-close 1");
      check.judgeLater(
          "shared by IPC",
          after.ours() == before.ours() && after.nvml() - before.nvml() <= PAGE_BYTES,
          "the second process: NVML %s, books %s"
              .formatted(
                  Check.size(after.nvml() - before.nvml()),
                  Check.size(after.ours() - before.ours())),
          Map.of("nvmlBytes", after.nvml() - before.nvml()));
    } finally {
      region.end(first);
      region.end(second);
    }
  }

  /** The memory that one block of each size takes: how the driver rounds. */
  private void rounding(Region region) throws InterruptedException {
    long job = region.begin(Wish.budget(check.budgetBytes(2 * Check.GIB, 60)));
    Map<String, Object> figures = new LinkedHashMap<>();
    long worst = 0;
    try (Program program = check.start(check.deviceProgram(), region.environmentOf(job))) {
      program.must("begin 0");
      for (long size : ROUNDED_SIZES) {
        Entry before = entry(region, job, program);
        for (int i = 0; i < ROUNDED_COUNT; i++) {
          program.must("alloc " + i + " " + size);
        }
        Entry after = entry(region, job, program);
        for (int i = 0; i < ROUNDED_COUNT; i++) {
          program.must("free " + i);
        }
        long taken = (after.nvml() - before.nvml()) / ROUNDED_COUNT;
        worst = Math.max(worst, taken - (after.inUse() - before.inUse()) / ROUNDED_COUNT);
        figures.put(Long.toString(size), taken);
      }
      check.judgeLater(
          "rounding of allocations",
          worst <= PAGE_BYTES,
          "a block takes at most %s more than our books say".formatted(Check.size(worst)),
          figures);
    }
    region.end(job);
  }

  /**
   * The memory that a framework takes in addition to its allocations: code and handles of its
   * libraries.
   */
  private void frameworkContexts(Region region) throws InterruptedException {
    if (!check.frameworks().has(Frameworks.TORCH)) {
      check
          .findings()
          .skipped("a context with PyTorch", check.frameworks().reason(Frameworks.TORCH));
      return;
    }
    check.step("a context with PyTorch", IMPORT, () -> frameworkContext(region));
  }

  private void frameworkContext(Region region) throws InterruptedException {
    long job = region.begin(Wish.budget(check.budgetBytes(16 * Check.GIB, 60)));
    Map<String, Object> figures = new LinkedHashMap<>();
    List<String> command = check.frameworks().program(check.bundle(), Frameworks.TORCH);
    try (Program program = check.start(command, region.environmentOf(job))) {
      for (String line : List.of("begin", "matmul", "convolve", "train 4 2")) {
        program.must(line);
        Entry now = entry(region, job, program);
        figures.put(line.split(" ", 2)[0] + "Bytes", now.nvml() - now.inUse());
      }
      trainings.contextIs((Long) figures.get(TorchTrainings.CONTEXT_FIGURE));
      check
          .findings()
          .measured(
              "a context with PyTorch",
              "%s, cuBLAS %s, cuDNN %s, after training %s"
                  .formatted(
                      size(figures, "beginBytes"),
                      size(figures, "matmulBytes"),
                      size(figures, "convolveBytes"),
                      size(figures, TorchTrainings.CONTEXT_FIGURE)),
              figures);
    }
    region.end(job);
  }
}
