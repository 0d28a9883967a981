package org.schedgpu.gres.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresConfChange;
import org.schedgpu.gres.files.GresFiles;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;

/**
 * A real Slurm numbers the groups of a node as the plan does: two shared types, a whole device,
 * unchanged MIG instances, counted memory, beside a node that is not planned. The devices are files
 * without a driver.
 */
class GroupsOnSlurmTest {
  private static final long GIB = 1L << 30;
  private static final String SLEEP = "--wrap=sleep 600";
  private static final Pattern IDX = Pattern.compile("GRES=\\S*?gpu:[^ ]*?\\(IDX:([0-9,-]+)\\)");

  @TempDir static Path folder;
  private static MiniCluster cluster;
  private static String planned;
  private static String other;
  private static String near;
  private static NodePlan plan;

  private final List<Long> jobs = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (missing.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    MiniClusterBuilder builder = MiniCluster.builder();
    String prefix = MiniCluster.freshNodePrefix();
    planned = prefix + "1";
    other = prefix + "2";
    near = prefix + "3";
    Path devices = builder.paths().devices();
    Path gresConf = Files.writeString(folder.resolve("gres.conf"), before(devices));
    CurrentGresConf now =
        CurrentGresConf.read(gresConf, Optional.of(List.of(planned, other, near)));
    plan = plan(devices, now);
    byte[] text =
        GresConfChange.of(now, new GresPlan(List.of(plan, coresPlan(devices))), false)
            .files()
            .get(GresFiles.GRES_CONF);
    cluster =
        builder
            .nodes(
                List.of(
                    new NodeSpec(planned, 32, 4000, plan.gres()),
                    new NodeSpec(other, 4, 1000, "gpu:old:1"),
                    new NodeSpec(near, 4, 1000, coresPlan(devices).gres(), 2)))
            .gresConf(new String(text, StandardCharsets.ISO_8859_1))
            .slurmConf("GresTypes=gpu,gpumem")
            .fakeDevices(5)
            .start();
  }

  /** AutoDetect= of a detector that Debian's Slurm does not have is an error in slurmd's log. */
  private static String before(Path devices) {
    return """
        AutoDetect=nvml
        Name=gpu Type=old File=%1$s/nvidia0 # of both nodes
        NodeName=%2$s Name=gpu Type=1g.5gb MultipleFiles=%1$s/nvidia4,%1$s/nvidiactl
        NodeName=%2$s Name=gpu Type=1g.5gb MultipleFiles=%1$s/nvidia4,%1$s/nvidiactl
        """
        .formatted(devices, planned);
  }

  private static NodePlan plan(Path folderOfDevices, CurrentGresConf now) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String file = folderOfDevices.resolve("nvidia" + i).toString();
      devices.add(new Device(i, "GPU-" + i, file, 8 * GIB, 0, 0, i == 2 ? "T4" : "A100"));
    }
    PlanRule.Defaults defaults =
        new PlanRule.Defaults(Optional.of(ShareRule.perGpu(3)), Order.PACK, 0, "full");
    List<PlanRule> rules =
        List.of(
            PlanRule.parse("type=t4,per-gpu=2", defaults),
            PlanRule.parse("keep-exclusive=1", defaults));
    Planner planner =
        new Planner(
            rules,
            TypeNames.of(List.of("A100=a100", "T4=t4")),
            new Planner.NodeLayout(
                Affinity.LINKS,
                Optional.empty(),
                true,
                LinkRule.of(SlurmVersion.installed().orElseThrow()),
                Optional.empty()),
            Optional.of(now),
            node -> "");
    return planner.plan(List.of(new NodeFacts(planned, null, devices))).get(0);
  }

  private static NodePlan coresPlan(Path folderOfDevices) {
    List<Device> devices = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String file = folderOfDevices.resolve("nvidia" + i).toString();
      devices.add(new Device(i, "GPU-" + i, file, 8 * GIB, 0, 0, "A100"));
    }
    return new NodePlan(
        near,
        List.of(new DeviceGroup("near", devices, 2, Order.PACK)),
        Affinity.CORES,
        Map.of(0, "0-1", 1, "2-3"),
        Optional.empty(),
        false);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void endJobs() {
    if (jobs.isEmpty()) {
      return;
    }
    String[] ids = jobs.stream().map(String::valueOf).toArray(String[]::new);
    cluster.commands().scancel(ids);
    jobs.forEach(job -> await(job, "CANCELLED"));
  }

  private long submit(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--mem=1");
    all.add(SLEEP);
    long job = cluster.sbatch(all.toArray(new String[0]));
    jobs.add(job);
    return job;
  }

  private static void await(long job, String state) {
    long end = System.nanoTime() + 300_000_000_000L;
    while (!cluster.jobField(job, "JobState").equals(state)) {
      assertTrue(System.nanoTime() < end, () -> state(job) + "\n" + cluster.logTails());
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static String state(long job) {
    return cluster.scontrol("-d", "show", "job", Long.toString(job)).stdout();
  }

  /** The indexes of a running job's GPUs. */
  private List<Integer> indexes(String... arguments) {
    return indexes(submit(arguments));
  }

  private static List<Integer> indexes(long job) {
    await(job, "RUNNING");
    Matcher matcher = IDX.matcher(state(job));
    assertTrue(matcher.find(), () -> state(job));
    List<Integer> indexes = new ArrayList<>();
    for (String part : matcher.group(1).split(",", -1)) {
      int dash = part.indexOf('-');
      int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
      for (int i = first; i <= Integer.parseInt(part.substring(dash + 1)); i++) {
        indexes.add(i);
      }
    }
    return indexes;
  }

  @Test
  void theNodesAreUpWithAllTheirGpus() {
    assertEquals("gpu:a100:6,gpu:t4:2,gpu:full:1,gpu:1g.5gb:2,gpumem:24576M", plan.gres());
    List.of(planned, other, near).forEach(cluster::awaitIdle);
  }

  @Test
  void eachTypeHasTheIndexesOfThePlan() {
    List<String> types = List.of("full", "1g.5gb", "t4", "a100", "1g.5gb", "t4");
    List<Long> ids = types.stream().map(type -> submit("--gres=gpu:" + type + ":1")).toList();
    assertEquals(List.of(8, 9, 6, 0, 10, 7), ids.stream().map(id -> indexes(id).get(0)).toList());
    assertEquals(List.of(0), plan.virtualIndexesOf(plan.devices().get(0)).subList(0, 1));
    assertEquals(List.of(6, 7), plan.virtualIndexesOf(plan.devices().get(2)));
    assertEquals(List.of(8), plan.virtualIndexesOf(plan.devices().get(3)));
  }

  /** Links= is a list over all GPUs of the node, whatever their types. */
  @Test
  void linksSpreadAJobOverDevicesThoughThereAreOtherTypes() {
    List<Integer> indexes = indexes("--gres=gpu:a100:2");
    assertEquals(2, indexes.size());
    assertNotEquals(device(indexes.get(0)), device(indexes.get(1)), indexes.toString());
    List<Integer> next = indexes("--gres=gpu:a100:2");
    assertNotEquals(device(next.get(0)), device(next.get(1)), next.toString());
  }

  private static int device(int index) {
    return plan.virtualGpus().get(index).device().index();
  }

  @Test
  void jobsThatDoNotFitTheMemoryWaitInSlurmsQueue() {
    String ask = "--gres=gpu:a100:1,gpumem:10G";
    await(submit(ask, "-w", planned), "RUNNING");
    await(submit(ask, "-w", planned), "RUNNING");
    long third = submit(ask, "-w", planned);
    long small = submit("--gres=gpu:a100:1,gpumem:1G", "-w", planned);
    await(small, "RUNNING");
    assertEquals("PENDING", cluster.jobField(third, "JobState"));
  }

  @Test
  void theOtherNodeHasWhatItHad() {
    assertEquals(List.of(0), indexes("--gres=gpu:old:1", "-w", other));
  }

  @Test
  void sharesWithCoresAreGivenOut() {
    assertEquals(List.of(0), indexes("--gres=gpu:near:1"));
    assertEquals(3, indexes("--gres=gpu:near:3").size());
  }

  @Test
  void onlyTheOtherNodeStillDetects() throws IOException {
    assertFalse(logged(planned), planned);
    assertTrue(logged(other), other);
  }

  private static boolean logged(String node) throws IOException {
    try (var logs = Files.walk(cluster.paths().logs())) {
      Path log = logs.filter(file -> file.endsWith("slurmd-" + node + ".log")).findFirst().get();
      return Files.readString(log).toLowerCase(java.util.Locale.ROOT).contains("nvml");
    }
  }
}
