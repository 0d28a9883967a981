package org.schedgpu.gres.shape;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.Requirements;

/**
 * For each shape of cluster, the real slurmctld and slurmd do what was planned: the nodes register,
 * jobs open exactly their devices, and everything that was not planned is unchanged. The shapes are
 * the folders of src/test/resources/shapes; a new folder is a new test. {@code
 * -Dschedgpu.test.shape=NAME} runs one.
 */
class ShapesTest {
  @BeforeAll
  static void requireSlurm() {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (missing.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    assumeTrue(MiniCluster.canConstrainDevices(), "this host's cgroups cannot constrain devices");
  }

  static Path folder() {
    try {
      return Path.of(ShapesTest.class.getResource("/shapes").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The names of the shapes to test. */
  static List<String> shapes() throws IOException {
    String only = System.getProperty("schedgpu.test.shape", ".*");
    return allShapes().stream().filter(name -> name.matches(only)).toList();
  }

  /** The names of all shapes. */
  static List<String> allShapes() throws IOException {
    try (Stream<Path> all = Files.list(folder())) {
      return all.filter(Files::isDirectory)
          .map(shape -> shape.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("shapes")
  @Execution(ExecutionMode.CONCURRENT)
  void slurmMakesOfItWhatWasPlanned(String name) throws Exception {
    Shape shape = Shape.read(folder().resolve(name));
    long start = System.nanoTime();
    try (ShapeCluster cluster = ShapeCluster.place(shape)) {
      cluster.startController();
      ControllerState before = ControllerState.by(cluster, shape);
      Map<String, List<String>> linesBefore = ConfLines.notPlanned(cluster, shape);
      Map<String, List<String>> gresBefore = ConfLines.gresOfOthers(cluster, shape);
      cluster.planAndApply();
      ConfLines.requireKept(linesBefore, ConfLines.notPlanned(cluster, shape));
      assertEquals(gresBefore, ConfLines.gresOfOthers(cluster, shape), "gres.conf for others");
      cluster.start();
      assertBelieved(shape, cluster, before);
      assertDevices(shape, cluster);
      assertQuiet(cluster);
    }
    System.out.printf("ShapesTest %s: %.1f s%n", name, (System.nanoTime() - start) / 1e9);
  }

  private static void assertBelieved(Shape shape, ShapeCluster cluster, ControllerState before) {
    ControllerState after = ControllerState.by(cluster, shape);
    assertEquals(before.others(), after.others(), "what the plan does not speak of");
    for (Map.Entry<String, String> gres : shape.gres().entrySet()) {
      String node = cluster.node(gres.getKey());
      String wanted = gres.getValue().equals("none") ? "(null)" : gres.getValue();
      assertEquals(wanted, after.gresOf(node), node);
      if (shape.nodes().contains(gres.getKey())) {
        assertEquals(
            ControllerState.counts(wanted), cluster.slurmdGres(node), "slurmd -G of " + node);
      }
    }
  }

  private static void assertDevices(Shape shape, ShapeCluster cluster) throws Exception {
    Probe probe = cluster.probe();
    VirtualGpus virtualGpus = VirtualGpus.of(cluster.etc().resolve("devices.conf"));
    for (Shape.Fill fill : shape.fills()) {
      String node = cluster.node(fill.node());
      List<Probe.Seen> jobs = probe.runTogether(node, fill.options(), fill.devices().size());
      jobs.sort((one, other) -> Integer.compare(index(one), index(other)));
      assertEquals(
          fill.devices(), jobs.stream().map(Probe.Seen::devices).toList(), fill.toString());
      for (Probe.Seen job : jobs) {
        virtualGpus.requireAgrees(node, index(job), cluster.devices(), job.devices());
      }
    }
    for (Shape.Job job : shape.jobs()) {
      Probe.Seen seen = probe.run(cluster.node(job.node()), job.options());
      assertTrue(job.isRight(seen.devices()), () -> job + " has " + seen);
    }
  }

  private static int index(Probe.Seen job) {
    return Integer.parseInt(job.gpus());
  }

  private static void assertQuiet(ShapeCluster cluster) throws IOException {
    List<String> complaints = new ArrayList<>();
    try (Stream<Path> logs = Files.list(cluster.logs())) {
      for (Path log : logs.filter(file -> file.toString().endsWith(".log")).toList()) {
        Files.readAllLines(log, ISO_8859_1).stream()
            .filter(LogComplaints::isOne)
            .forEach(line -> complaints.add(log.getFileName() + ": " + line));
      }
    }
    assertTrue(complaints.isEmpty(), () -> String.join("\n", complaints));
  }
}
