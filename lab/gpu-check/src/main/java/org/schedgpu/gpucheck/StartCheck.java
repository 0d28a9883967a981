package org.schedgpu.gpucheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.schedgpu.gpucheck.Region.Wish;

/** Does every kind of program start, and give the same results as without schedGPU? */
final class StartCheck implements Section {
  private static final Duration COMPILE = Duration.ofSeconds(15);
  private static final Duration MOMENT = Duration.ofMillis(500);
  private static final int SHOWN = 12;

  private Check check;
  private long budgetBytes;

  @Override
  public String name() {
    return "starts";
  }

  @Override
  public String question() {
    return "Do programs start, with the same results as without schedGPU?";
  }

  @Override
  public void run(Check given) throws InterruptedException {
    check = given;
    budgetBytes = check.budgetBytes(4 * Check.GIB, 25);
    HostCheck.run(check);
    check.step("entry points", MOMENT, this::entryPoints);
    check.step("cuGetProcAddress", MOMENT, this::lookUps);
    try (Region region = check.region()) {
      for (String how : List.of("handle", "get", "per-thread")) {
        sameAnswers(region, "driver API, " + how, programOf(how), deviceLines());
      }
      check.step("a budget is the program's device", MOMENT, () -> budgetIsTheDevice(region));
      runtimePrograms(region);
      check.step("nvidia-smi", MOMENT, () -> nvidiaSmi(region));
      check.step("schedgpu run and status", MOMENT, () -> command(region));
      check.step("schedgpu agent", MOMENT, () -> agent(region));
      for (String framework : List.of(Frameworks.TORCH, Frameworks.JAX, Frameworks.CUPY)) {
        framework(region, framework);
      }
    }
  }

  /** entry_points.tsv has every function that the driver exports. */
  private void entryPoints() {
    Optional<Path> driver = driverFile();
    if (driver.isEmpty()) {
      check.findings().failed("entry points", "no libcuda.so.1 is mapped");
      return;
    }
    SortedSet<String> unknown =
        ExportedNames.of(driver.get()).stream()
            .filter(name -> name.matches("cu[A-Z].*"))
            .collect(Collectors.toCollection(TreeSet::new));
    int exported = unknown.size();
    unknown.removeAll(judged());
    String names = unknown.stream().limit(SHOWN).collect(Collectors.joining(", "));
    String more = unknown.size() > SHOWN ? " and %d more".formatted(unknown.size() - SHOWN) : "";
    Map<String, Object> figures = Map.of("exported", exported, "unknown", List.copyOf(unknown));
    if (unknown.isEmpty()) {
      String all = "all %d that the driver exports are judged".formatted(exported);
      check.findings().passed("entry points", all, figures);
    } else { // a driver newer than the table
      check
          .folders()
          .results()
          .write("driver-exports.txt", String.join(System.lineSeparator(), unknown));
      String some =
          "%d of %d are not judged: %s%s".formatted(unknown.size(), exported, names, more);
      check.findings().measured("entry points", some, figures);
    }
  }

  private Set<String> judged() {
    try {
      return Files.readAllLines(check.bundle().entryPoints()).stream()
          .map(line -> line.split("\t", 2)[0])
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new CheckException("cannot read " + check.bundle().entryPoints(), e);
    }
  }

  /** The file that a program loads as the driver. */
  private Optional<Path> driverFile() {
    try (Program program = check.start(check.deviceProgram())) {
      program.must("init");
      return Files.readAllLines(Path.of("/proc/" + program.pid() + "/maps")).stream()
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .filter(file -> file.matches(".*/libcuda\\.so[^/]*"))
          .map(Path::of)
          .findFirst();
    } catch (IOException | InterruptedException e) {
      return Optional.empty();
    }
  }

  /** cuGetProcAddress returns the library's function for each hooked function. */
  private void lookUps() throws InterruptedException {
    Map<String, String> environment = check.machine().environment();
    environment.put("LD_PRELOAD", check.bundle().preload().toString());
    Path program = check.bundle().program("procaddress_program");
    Command.Result result = check.run(List.of(program.toString()), environment);
    String[] numbers = result.output().strip().split(" ", -1);
    if (!result.isSuccess() || numbers.length != 5) {
      check.findings().failed("cuGetProcAddress", "the program failed: " + result.lastLine());
      return;
    }
    boolean right = numbers[2].equals("0") && numbers[4].equals("1");
    check
        .findings()
        .judged(
            "cuGetProcAddress",
            right,
            right
                ? "%s answers of %s requests go through us".formatted(numbers[1], numbers[0])
                : "%s of %s answers are wrong: %s"
                    .formatted(numbers[2], numbers[0], result.lastLine()),
            Map.of(
                "requests", Long.parseLong(numbers[0]),
                "substituted", Long.parseLong(numbers[1]),
                "wrong", Long.parseLong(numbers[2]),
                "neverGivenOut", Long.parseLong(numbers[3])));
  }

  private List<String> programOf(String how) {
    return List.of(check.bundle().program("device_program").toString(), how);
  }

  private static List<String> deviceLines() {
    return List.of(
        "begin 0",
        "alloc 0 100000000",
        "check 0 100000000",
        "pitch 1 1000 1000",
        "managed 2 10000000",
        "touch 2 10000000",
        "start 1000 1",
        "sync",
        "free 2",
        "free 1",
        "free 0");
  }

  /** The program answers each line in a job as it does without schedGPU. */
  private void sameAnswers(Region region, String what, List<String> command, List<String> lines)
      throws InterruptedException {
    check.step(
        what,
        MOMENT,
        () -> {
          List<String> without = answers(command, lines, check.machine().environment());
          long job = region.begin(Wish.budget(budgetBytes));
          List<String> with = answers(command, lines, region.environmentOf(job));
          region.end(job);
          boolean failed = without.stream().anyMatch(answer -> !answer.startsWith("0 "));
          check
              .findings()
              .judged(
                  what,
                  !failed && with.equals(without),
                  failed
                      ? "fails without schedGPU: " + without
                      : with.equals(without)
                          ? "the same answers"
                          : "%s instead of %s".formatted(with, without),
                  Map.of());
        });
  }

  private List<String> answers(
      List<String> command, List<String> lines, Map<String, String> environment)
      throws InterruptedException {
    List<String> answers = new ArrayList<>();
    try (Program program = check.start(command, environment)) {
      for (String line : lines) {
        Program.Answer answer = program.ask(line);
        answers.add(answer.result() + " " + answer.number());
      }
      int exit = program.end();
      if (exit != 0) {
        throw new CheckException("it ended with status " + exit);
      }
    }
    return answers;
  }

  private void budgetIsTheDevice(Region region) throws InterruptedException {
    long job = region.begin(Wish.budget(budgetBytes));
    try (Program program = check.start(check.deviceProgram(), region.environmentOf(job))) {
      program.must("begin 0");
      long total = program.must("total");
      boolean refused = program.ask("alloc 0 " + (budgetBytes + 1)).isOutOfMemory();
      check
          .findings()
          .judged(
              "a budget is the program's device",
              total == budgetBytes && refused,
              "told of %s, more is %s"
                  .formatted(Check.size(total), refused ? "out of memory" : "NOT REFUSED"),
              Map.of("toldBytes", total));
    }
    region.end(job);
  }

  /** NVIDIA's runtime, as a shared library and inside the executable. */
  private void runtimePrograms(Region region) throws InterruptedException {
    for (String kind : List.of("shared", "static")) {
      String what = "CUDA runtime, " + kind;
      Path carried = check.bundle().program("runtime_" + kind);
      Optional<Path> nvcc = Command.find("nvcc");
      if (check.machine().emulated()) {
        check.findings().skipped(what, "NVIDIA's runtime does not run on the emulator");
      } else if (Files.exists(carried)) {
        check.step(what, MOMENT, () -> sameOutput(region, what, List.of(carried.toString())));
      } else if (nvcc.isPresent()) {
        check.step(what, COMPILE, () -> runtimeProgram(region, nvcc.get(), kind, what));
      } else {
        check.findings().skipped(what, "the bundle was made without nvcc, and here is none");
      }
    }
  }

  private void runtimeProgram(Region region, Path nvcc, String kind, String what)
      throws InterruptedException {
    Path program = check.work().resolve("runtime_" + kind);
    Command.Result built =
        check.run(
            List.of(
                nvcc.toString(),
                "-arch=native",
                "-cudart=" + kind,
                "-o",
                program.toString(),
                check.bundle().source("runtime_program.cu").toString()),
            check.machine().environment());
    if (!built.isSuccess()) {
      check.findings().skipped(what, "nvcc cannot build it: " + built.lastLine());
      return;
    }
    sameOutput(region, what, List.of(program.toString()));
  }

  private void sameOutput(Region region, String what, List<String> command)
      throws InterruptedException {
    Command.Result without = check.run(command, check.machine().environment());
    if (without.errors().contains("driver version is insufficient")) {
      check.findings().skipped(what, "the driver is older than the CUDA that made the program");
      return;
    }
    long job = region.begin(Wish.budget(budgetBytes));
    Command.Result with = check.run(command, region.environmentOf(job));
    region.end(job);
    boolean same = without.equals(with) && with.isSuccess();
    check
        .findings()
        .judged(
            what,
            same,
            same
                ? "the same output"
                : "'%s' instead of '%s'".formatted(with.lastLine(), without.lastLine()),
            Map.of());
  }

  private void framework(Region region, String name) throws InterruptedException {
    if (!check.frameworks().has(name)) {
      check.findings().skipped(name, check.frameworks().reason(name));
      return;
    }
    List<String> lines =
        name.equals(Frameworks.TORCH)
            ? List.of("begin", "matmul", "convolve")
            : List.of("begin", "matmul");
    sameAnswers(region, name, check.frameworks().program(check.bundle(), name), lines);
  }

  /** Outside jobs the runtime reports the same as without the library; within a job, the budget. */
  private void nvidiaSmi(Region region) throws InterruptedException {
    Optional<Path> smi = Command.find("nvidia-smi");
    if (smi.isEmpty()) {
      check.findings().skipped("nvidia-smi", "there is none");
      return;
    }
    List<String> ask =
        List.of(
            smi.get().toString(),
            "--id=" + check.machine().index(),
            "--query-gpu=name,uuid,memory.total",
            "--format=csv,noheader,nounits");
    Map<String, String> preloaded = check.machine().environment();
    preloaded.put("LD_PRELOAD", check.bundle().preload().toString());
    String plain = ask(ask, check.machine().environment());
    String outside = ask(ask, preloaded);
    long job = region.begin(Wish.budget(budgetBytes));
    String inside = ask(ask, region.environmentOf(job));
    region.end(job);
    boolean right = outside.equals(plain) && inside.endsWith(", " + (budgetBytes / Check.MIB));
    check
        .findings()
        .judged(
            "nvidia-smi",
            right,
            right
                ? "unchanged outside of jobs, the budget within one"
                : "plain '%s', preloaded '%s', in a job '%s'".formatted(plain, outside, inside),
            Map.of());
  }

  private String ask(List<String> command, Map<String, String> environment)
      throws InterruptedException {
    return check.run(command, environment).lastLine();
  }

  /** {@code schedgpu run} and {@code schedgpu status}, as people use them. */
  private void command(Region region) throws InterruptedException {
    List<String> command =
        new ArrayList<>(
            region.schedgpuCommand("run", "--mem", budgetBytes / Check.MIB + "M", "--device"));
    command.add(Integer.toString(check.machine().index()));
    command.add("--");
    command.addAll(check.deviceProgram());
    try (Program program = check.start(command, region.environment())) {
      program.must("begin 0");
      long total = program.must("total");
      program.must("alloc 0 1000000");
      String status = region.schedgpu("status").output();
      boolean right = total == budgetBytes && status.contains("run:");
      check
          .findings()
          .judged(
              "schedgpu run and status",
              right && program.end() == 0,
              right ? "a job of its own, shown by status" : "status says: " + status.strip(),
              Map.of());
    }
  }

  private void agent(Region region) throws InterruptedException {
    try (Program agent = region.startAgent(check)) {
      String status = region.schedgpu("status").lastLine();
      check
          .findings()
          .passed(
              "schedgpu agent", "starts and answers", Map.of("status", status, "pid", agent.pid()));
    }
  }
}
