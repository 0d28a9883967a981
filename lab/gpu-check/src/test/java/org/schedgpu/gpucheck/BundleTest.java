package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check itself works: the bundle is unpacked elsewhere and runs on the emulator. */
class BundleTest {
  private static final Path ROOT = Path.of(System.getProperty("check.root")).normalize();
  private static final Deadline LIMIT = Deadline.in(Duration.ofMinutes(30));

  @TempDir static Path folder;
  private static Path archive;
  private static Path bundle;

  private static Command.Result run(List<String> command, Map<String, String> more)
      throws InterruptedException {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(more);
    return Command.run(command, environment, LIMIT);
  }

  @BeforeAll
  static void makeAndUnpackTheBundle() throws InterruptedException {
    archive = folder.resolve("bundle.tar.gz");
    String script = ROOT.resolve("lab/gpu-check/src/main/sh/bundle").toString();
    Command.Result made = run(List.of(script, archive.toString()), Map.of());
    assertEquals(0, made.exitCode(), made.errors());
    Command.Result unpacked =
        run(List.of("tar", "-C", folder.toString(), "-xf", archive.toString()), Map.of());
    assertEquals(0, unpacked.exitCode(), unpacked.errors());
    bundle = folder.resolve("schedgpu-gpu-check");
  }

  private static Map<String, String> emulator(Path output) {
    return Map.of(
        "LD_LIBRARY_PATH",
        ROOT.resolve("lab/gpu-emulator/target/native").toString(),
        "EMULATED_GPU_STATE",
        folder.resolve("device-" + output.getFileName()).toString(),
        "EMULATED_GPU_MEM",
        "2G",
        "EMULATED_GPU_CONTEXT",
        "32M");
  }

  private static List<String> command(Path output, String... options) {
    List<String> command =
        new ArrayList<>(List.of(bundle.resolve("run").toString(), "--output", output.toString()));
    command.addAll(List.of(options));
    return command;
  }

  /** Runs it on a new emulated device. */
  private static Command.Result check(Path output, String... options) throws InterruptedException {
    return run(command(output, options), emulator(output));
  }

  private static Process started(Path output, String... options) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command(output, options))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(emulator(output));
    return builder.start();
  }

  private static JsonNode result(Path output) throws IOException {
    return new ObjectMapper().readTree(output.resolve("result.json").toFile());
  }

  private static Map<String, String> outcomes(JsonNode result) {
    return StreamSupport.stream(result.path("findings").spliterator(), false)
        .collect(
            Collectors.toMap(
                finding -> finding.path("section").asText() + ": " + finding.path("check").asText(),
                finding -> finding.path("outcome").asText()));
  }

  @Test
  void noSymbolsOfTheJavaRuntimeTravel() throws IOException {
    try (Stream<Path> all = Files.walk(bundle.resolve("runtime"))) {
      assertEquals(List.of(), all.filter(file -> file.toString().endsWith(".debuginfo")).toList());
    }
  }

  @Test
  void everySectionRunsOnTheEmulatorAndNothingFails() throws Exception {
    Path output = folder.resolve("all");
    Command.Result run = check(output, "--brief", "--budget", "25m");
    assertEquals(0, run.exitCode(), run.output() + run.errors());
    assertTrue(run.output().startsWith("EMULATED: this is no GPU."), run.output());
    assertTrue(run.output().lines().allMatch(line -> line.length() <= 200), run.output());

    JsonNode result = result(output);
    assertTrue(result.path("emulated").asBoolean());
    Map<String, String> outcomes = outcomes(result);
    for (String passed :
        List.of(
            "starts: locks and /proc of the host",
            "starts: entry points",
            "starts: cuGetProcAddress",
            "starts: driver API, per-thread",
            "starts: schedgpu run and status",
            "starts: schedgpu agent",
            "books: linear",
            "books: virtual memory",
            "books: graph",
            "books: green context",
            "books: shared by descriptor",
            "books: rounding of allocations",
            "promise: 12 programs, 1.5 x the device",
            "promise: 12 programs, 3.0 x the device",
            "promise: two processes of one job",
            "death: killed in a kernel, agent",
            "workload: schedGPU Priority MMU",
            "lanes: three equal trainings, fair",
            "lanes: a long training and five short ones, srtf",
            "lanes: 20 inference servers, fair",
            "lanes: copy-box in a job with a share",
            "lanes: copy-batch in a job with a share")) {
      assertEquals("passed", outcomes.get(passed), passed + " in " + outcomes);
    }
    assertEquals("measured", outcomes.get("cost: start of a program"));
    assertEquals("measured", outcomes.get("sharing: time slicing, kernels that fill the device"));
    assertFalse(outcomes.containsValue("failed"), outcomes::toString);
    assertFalse(outcomes.containsValue("not_done"), outcomes::toString);
    expectPicture(output.resolve("result.svg"));
    assertTrue(
        Files.readString(output.resolve("result.txt")).contains("GPU check on the EMULATOR:"));
  }

  private static void expectPicture(Path file) throws Exception {
    String name =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(file.toFile())
            .getDocumentElement()
            .getTagName();
    assertEquals("svg", name);
    assertTrue(Files.readString(file).contains("EMULATED"));
  }

  /** The two commands for a GPU that is lent for minutes: as people copy them. */
  @Test
  void theCommandsOfTheReadmeFillTheFolderOfResults() throws Exception {
    Path checkout = Files.createDirectories(folder.resolve("checkout/target")).getParent();
    Files.createSymbolicLink(checkout.resolve("target/schedgpu-gpu-check.tar.gz"), archive);
    JsonNode first =
        readmeCommand(checkout, "first", "--first", "--brief --only starts,pytorch,books,promise");
    List<String> sections = new ArrayList<>();
    first.path("sections").forEach(section -> sections.add(section.path("name").asText()));
    assertEquals(
        List.of("machine and frameworks", "starts", "pytorch", "books", "promise"), sections);
    Map<String, String> outcomes = outcomes(first);
    assertEquals("passed", outcomes.get("books: linear"), outcomes::toString);
    assertEquals("measured", outcomes.get("books: graph"), outcomes::toString);
    assertEquals("passed", outcomes.get("promise: 12 programs, 1.5 x the device"));

    outcomes = outcomes(readmeCommand(checkout, "second", "--second $F", "--only promise"));
    assertEquals(
        "passed", outcomes.get("promise: 12 programs, 3.0 x the device"), outcomes::toString);
    assertFalse(outcomes.containsKey("starts: entry points"), "nothing failed there");
  }

  /** Runs the command of the README that begins with {@code # name}, and returns its result. */
  private static JsonNode readmeCommand(Path checkout, String name, String option, String more)
      throws Exception {
    String readme = Files.readString(ROOT.resolve("lab/gpu-check/README.md"));
    int begin = readme.indexOf("```sh\n# " + name + "\n") + "```sh\n".length();
    String command = readme.substring(begin, readme.indexOf("```", begin));
    assertTrue(command.length() < 2000, "as long as may be given there");
    assertTrue(command.contains(option), command);
    Path output = Files.createDirectory(checkout.resolve("out-" + name));
    Map<String, String> environment = new HashMap<>(emulator(output));
    environment.put("OUT", output.toString());
    environment.put("TMPDIR", Files.createDirectories(checkout.resolve("tmp")).toString());
    String line = "cd '" + checkout + "'\n" + command.replace(option, option + " " + more);
    Command.Result run = run(List.of("bash", "-c", line), environment);
    assertEquals(0, run.exitCode(), () -> run.output() + run.errors());
    try (Stream<Path> files = Files.walk(output).filter(Files::isRegularFile)) {
      List<Path> all = files.toList();
      assertTrue(all.size() <= 8, all::toString);
      assertTrue(all.stream().allMatch(file -> file.toFile().length() < 16 << 20));
    }
    return result(output.resolve(name));
  }

  /**
   * The suite must be able to fail: here the preload library does nothing. Whether twelve programs
   * then disturb each other depends on how busy the machine is, so the test does not check that.
   */
  @Test
  void aLibraryThatDoesNothingFails() throws Exception {
    Path preload = bundle.resolve("product/lib/libschedgpu-preload.so");
    Path kept = folder.resolve("preload");
    Files.copy(preload, kept);
    Files.copy(
        bundle.resolve("product/lib/libschedgpu.so.0"),
        preload,
        StandardCopyOption.REPLACE_EXISTING);
    try {
      Path output = folder.resolve("nothing");
      Command.Result run = check(output, "--brief", "--only", "starts,promise,lanes");
      assertEquals(1, run.exitCode(), run.output());
      Map<String, String> outcomes = outcomes(result(output));
      assertEquals("failed", outcomes.get("starts: cuGetProcAddress"), outcomes::toString);
      assertEquals("failed", outcomes.get("starts: a budget is the program's device"));
      assertEquals("failed", outcomes.get("promise: two processes of one job"));
      assertEquals("failed", outcomes.get("lanes: three equal trainings, fair"));
      assertEquals("failed", outcomes.get("lanes: copy-box in a job with a share"));
      assertEquals("passed", outcomes.get("starts: driver API, handle"));
    } finally {
      Files.move(kept, preload, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Also when it gets a signal in the middle. */
  @Test
  void nothingIsLeftBehind() throws Exception {
    Path runs = Files.createTempDirectory(Path.of("/dev/shm"), "gpu-check-test-");
    Process process = started(folder.resolve("left"), "--brief", "--run-dir", runs.toString());
    try {
      while (entries(runs) == 0) {
        assertTrue(process.isAlive() && !LIMIT.isOver());
        Thread.sleep(20);
      }
      process.destroy();
      process.waitFor();
      assertEquals(0, entries(runs));
      JsonNode found = result(folder.resolve("left"));
      assertTrue(outcomes(found).containsKey("starts: entry points"), "what it has found stays");
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(runs);
    }
  }

  private static long entries(Path path) throws IOException {
    try (var files = Files.list(path)) {
      return files.count();
    }
  }

  @Test
  void pythonProgramsAreRight() throws Exception {
    String python = Command.find("python3").orElseThrow().toString();
    List<String> command = new ArrayList<>(List.of(python, "-m", "py_compile"));
    try (var files = Files.list(bundle.resolve("python"))) {
      files.map(Path::toString).filter(name -> name.endsWith(".py")).forEach(command::add);
    }
    Command.Result compiled = run(command, Map.of());
    assertEquals(0, compiled.exitCode(), compiled.errors());
    Command.Result versions =
        run(
            List.of(python, bundle.resolve("python/versions.py").toString(), "no_such_framework"),
            Map.of());
    assertEquals("no_such_framework\t\tnot installed\n", versions.output());
  }

  /** The common part of the Python programs answers as that of the C programs does. */
  @Test
  void pythonProgramsAnswerEachLine() throws Exception {
    Path program =
        Files.writeString(
            bundle.resolve("python/try_commands.py"),
            """
            import commands
            def fail(): raise ValueError("on purpose")
            def full(): raise MemoryError("on purpose")
            commands.main({"add": lambda a, b: a + b, "fail": fail, "full": full},
                          lambda problem: isinstance(problem, MemoryError))
            """);
    try (Program python =
        Program.start(
            List.of(Command.find("python3").orElseThrow().toString(), program.toString()),
            System.getenv(),
            folder.resolve("try.err"),
            LIMIT)) {
      assertEquals(5, python.must("add 2 3"));
      assertTrue(python.ask("full").isOutOfMemory());
      assertEquals(1, python.ask("fail").result());
      assertEquals(-2, python.ask("no-such-word").result());
      assertEquals(7, python.must("add 3 4"));
      assertEquals(0, python.end());
      assertTrue(python.errors().contains("on purpose"));
    }
  }
}
