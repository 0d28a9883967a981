package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.SchedGpu;

/**
 * A real Prometheus scrapes a real agent while programs share an emulated GPU: one job holds
 * memory, one waits for it, one takes some without asking, and so does a program of no job. The
 * dashboard's queries have answers, and its picture is drawn from them.
 */
class MetricsTest {
  private static final Path ROOT = Path.of(System.getProperty("schedgpu.root"));
  private static final Path DASHBOARD = ROOT.resolve("etc/grafana/schedgpu.json");
  private static final Path RULES = ROOT.resolve("etc/prometheus/schedgpu.rules.yml");
  private static final Path PICTURE = Path.of("target", "dashboard.png");
  private static final String DEVICE = "GPU-e0e0e0e0-0000-4000-8000-000000000000";
  private static final long GIB = 1L << 30;
  private static final double STEP_S = 0.25;

  /** None of these events happens here. */
  private static final Set<String> CALM =
      Set.of(
          "locks of the dead", "region repaired", "programs ended for it", "problems of devices");

  @TempDir(factory = SharedMemoryDir.class)
  private static Path folder;

  private static final List<Process> programs = new ArrayList<>();
  private static TestNode node;
  private static ListenAddress address;
  private static PrometheusServer prometheus;
  private static double startS;
  private static double endS;

  /** What each query of the dashboard returned, by panel. */
  private static List<DashboardPicture.Drawn> answers;

  private static boolean pendingOverrun;

  @BeforeAll
  static void shareAGpu() throws Exception {
    RealLibrary.require();
    PrometheusServer.require("prometheus", "promtool", "python3");
    node = new TestNode(folder);
    node.devices(
        "NodeName=n Device=0 UUID=%s File=/dev/nvidia0 TotalBytes=17179869184 ReservedBytes=0 ContextBytes=268435456 Virtual=0-3 Name=\"Emulated GPU 0\"\n"
            .formatted(DEVICE));
    address = ScrapeServerTest.freePort();
    node.configure("OverrunEvery=100ms\nMetricsListen=" + address.text() + "\n");
    prometheus = PrometheusServer.start(folder, address, RULES);
    node.startAgent(folder.resolve("log"), likeInstalled());
    prometheus.await("schedgpu_up == 1");
    startS = nowS();
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      share(region);
    }
    endS = nowS();
    answers = answers();
  }

  private static double nowS() {
    return System.currentTimeMillis() / 1e3;
  }

  private static void share(SchedGpu region) throws Exception {
    begin(region, 1, 8 * GIB);
    begin(region, 2, 10 * GIB);
    begin(region, 3, 2 * GIB);
    Process holder = start(program(5, "1", true));
    prometheus.await("schedgpu_device_memory_in_use_bytes == %d".formatted(5 * GIB));
    start(program(1, "", false));
    start(program(1, "3", false));
    prometheus.await(
        "schedgpu_device_memory_foreign_bytes > 0 and schedgpu_device_memory_overrun_bytes > 0");
    prometheus.await("ALERTS{alertname=\"SchedgpuOverrun\", alertstate=\"pending\"}");
    pendingOverrun = true;
    Process waiter = start(program(4, "2", true));
    prometheus.await("schedgpu_device_oldest_wait_seconds > 1");
    holder.destroyForcibly().waitFor();
    prometheus.await("schedgpu_reaped_clients_total > 0");
    assertTrue(region.jobEnd(JobKind.SLURM, 1));
    prometheus.await("schedgpu_job_wait_seconds_count offset 1s == 1");
    prometheus.await("schedgpu_device_memory_in_use_bytes == %d".formatted(4 * GIB));
    end(waiter);
    assertTrue(region.jobEnd(JobKind.SLURM, 2));
    prometheus.await("schedgpu_job_wait_seconds_count offset 1s == 2");
  }

  private static void begin(SchedGpu region, long id, long budget) {
    region.jobBegin(
        new JobSpec(
            JobKind.SLURM,
            id,
            0,
            50,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(Map.of(0, budget)),
            "job",
            false));
  }

  private static Map<String, String> emulator() {
    return Map.of(
        "LD_LIBRARY_PATH",
        ROOT.resolve("lab/gpu-emulator/target/native").toAbsolutePath().toString(),
        "EMULATED_GPU_STATE",
        folder.resolve("gpu").toString());
  }

  /** With the command's limits, for the drawn memory. */
  private static Map<String, String> likeInstalled() {
    Map<String, String> environment = new TreeMap<>(emulator());
    environment.put("MALLOC_ARENA_MAX", "1");
    environment.put("JDK_JAVA_OPTIONS", "-Xms8m -Xmx32m -Xss512k -XX:ReservedCodeCacheSize=8m");
    return environment;
  }

  /** A CUDA program that allocates GiB, until its stdin ends. */
  private static ProcessBuilder program(int gib, String job, boolean asks) {
    ProcessBuilder builder =
        new ProcessBuilder(
                "python3",
                "-c",
                """
                import ctypes, sys
                cuda = ctypes.CDLL('libcuda.so.1')
                def do(result):
                    if result: sys.exit('CUDA error %%d' %% result)
                where = ctypes.c_void_p()
                do(cuda.cuInit(0))
                do(cuda.cuCtxCreate_v2(ctypes.byref(where), 0, 0))
                do(cuda.cuMemAlloc_v2(ctypes.byref(where), ctypes.c_size_t(%d << 30)))
                sys.stdin.read()
                """
                    .formatted(gib))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("programs").toFile()));
    builder.environment().putAll(emulator());
    builder.environment().put("SCHEDGPU_RUN_DIR", node.runDir().toString());
    if (!job.isEmpty()) {
      builder.environment().put("SCHEDGPU_JOB", "slurm:" + job);
    }
    if (asks) {
      Path library = Path.of(System.getProperty("schedgpu.library"));
      builder
          .environment()
          .put("LD_PRELOAD", library.resolveSibling("libschedgpu-preload.so").toString());
    }
    return builder;
  }

  private static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    programs.add(process);
    return process;
  }

  private static void end(Process process) throws Exception {
    process.getOutputStream().close();
    assertEquals(0, process.waitFor(), () -> programsSaid());
  }

  private static String programsSaid() {
    try {
      return Files.readString(folder.resolve("programs"));
    } catch (IOException none) {
      return "";
    }
  }

  private static List<DashboardPicture.Drawn> answers() throws Exception {
    List<DashboardPicture.Drawn> drawn = new ArrayList<>();
    Map<String, String> variables = Map.of("instance", ".*", "device", DEVICE);
    for (Dashboard.Panel panel : Dashboard.read(DASHBOARD, variables).panels()) {
      List<String> names = new ArrayList<>();
      List<Series> series = new ArrayList<>();
      for (Dashboard.Target target : panel.targets()) {
        List<Series> found = prometheus.range(target.query(), startS, endS, STEP_S);
        assertFalse(found.isEmpty(), () -> panel.title() + ": nothing for " + target.query());
        found.forEach(one -> names.add(one.name(target.legend())));
        series.addAll(found);
      }
      drawn.add(new DashboardPicture.Drawn(panel, names, series));
    }
    return drawn;
  }

  @AfterAll
  static void end() throws Exception {
    for (Process program : programs) {
      program.destroyForcibly().waitFor();
    }
    if (prometheus != null) {
      prometheus.close();
    }
    if (node != null) {
      node.close();
    }
  }

  @Test
  void everyQueryOfTheDashboardHasNumbers() {
    for (DashboardPicture.Drawn drawn : answers) {
      for (int i = 0; i < drawn.series().size(); i++) {
        String name = drawn.panel().title() + ", " + drawn.names().get(i);
        assertFalse(drawn.series().get(i).values().isEmpty(), name);
        assertFalse(name.contains("{{"), name);
      }
    }
  }

  /** A query with a wrong label or operator also returns zeros, so the values are checked. */
  @Test
  void whatHappenedIsSeenInEveryPanel() {
    for (DashboardPicture.Drawn drawn : answers) {
      for (int i = 0; i < drawn.series().size(); i++) {
        String name = drawn.names().get(i);
        boolean calm = CALM.contains(name) || Set.of("idle", "ending").contains(name);
        if (!calm) {
          assertTrue(
              drawn.series().get(i).most() > 0, drawn.panel().title() + ", " + name + ": only 0");
        }
      }
    }
  }

  @Test
  void memoryAddsUpToTheDevice() {
    DashboardPicture.Drawn memory =
        answers.stream().filter(d -> d.panel().stacked()).findFirst().orElseThrow();
    Series free = memory.series().get(memory.series().size() - 1);
    for (double time : free.times()) {
      double sum = memory.series().stream().mapToDouble(series -> series.at(time)).sum();
      assertEquals(16.0 * GIB, sum, memory.panel().title() + " at " + time);
    }
  }

  /** 5 and 4 GiB beside a context each, of 8 and of 10; the second job waited for the first. */
  @Test
  void whatTheJobsDidIsInTheHistograms() throws Exception {
    Scrape scrape = Scrape.at(address.address());
    assertEquals(2, scrape.value("schedgpu_job_peak_ratio_count{device=\"0\"}"));
    assertEquals(
        5.0 / 8 + 4.0 / 10, scrape.value("schedgpu_job_peak_ratio_sum{device=\"0\"}"), 1e-9);
    assertEquals(1, scrape.value("schedgpu_job_wait_seconds_bucket{le=\"0.1\"}"));
    assertTrue(scrape.value("schedgpu_job_wait_seconds_sum") > 1, "the waiter was seen to wait");
    assertEquals(2, scrape.value("schedgpu_jobs_ended_total"));
    assertEquals(0, scrape.value("schedgpu_ended_jobs_missed_total"));
  }

  @Test
  void theDashboardIsDrawn() throws IOException {
    DashboardPicture.write(
        answers,
        startS,
        "schedGPU",
        "Emulated GPU, seconds of a test. Drawn from the answers of a real Prometheus to the"
            + " dashboard's queries, not by Grafana.",
        PICTURE);
    assertTrue(ImageIO.read(PICTURE.toFile()).getWidth() > 1000);
  }

  @Test
  void theRulesAreLoadedAndAnOverrunIsPending() throws Exception {
    Set<String> names = new TreeSet<>();
    for (JsonNode group : prometheus.get("/api/v1/rules").path("groups")) {
      for (JsonNode rule : group.path("rules")) {
        assertEquals("ok", rule.path("health").asText(), rule::toString);
        names.add(rule.path("name").asText());
      }
    }
    assertEquals(RulesTest.alerts(RULES), names);
    assertTrue(pendingOverrun);
  }

  /** Names, units, types and help texts in the form that Prometheus requires. */
  @Test
  void promtoolFindsNothing() throws Exception {
    Process promtool =
        new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
    try (OutputStream in = promtool.getOutputStream()) {
      in.write(Scrape.at(address.address()).text().getBytes(StandardCharsets.UTF_8));
    }
    String said = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals("", said);
    assertEquals(0, promtool.waitFor());
  }
}
