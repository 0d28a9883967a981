package org.schedgpu.gres.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.GpuSelectionModel;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.files.GresConfWriter;

/** Links= gives a job of several GPUs different devices, by the rule of each release. */
class LinkRuleTest {
  private static final int STATES = 2000;

  private static NodePlan node(LinkRule rule, DeviceGroup... groups) {
    return new NodePlan(
        "gpu1", List.of(groups), Affinity.LINKS, Map.of(), Optional.empty(), false, rule);
  }

  private static NodePlan node(LinkRule rule, int devices, int shares, Order order) {
    return node(rule, new DeviceGroup("a100", Fixtures.devices(devices), shares, order));
  }

  private static List<String> linksOf(NodePlan node) {
    return GresConfWriter.text(new GresPlan(List.of(node)))
        .lines()
        .filter(line -> line.contains(" Links="))
        .map(line -> line.replaceFirst(".* Links=", ""))
        .toList();
  }

  private static GpuSelectionModel pick(NodePlan node) {
    return new GpuSelectionModel(
        linksOf(node).stream()
            .map(row -> Stream.of(row.split(",", -1)).mapToInt(Integer::parseInt).toArray())
            .toArray(int[][]::new));
  }

  private static int device(NodePlan node, int gpu) {
    return node.virtualGpus().get(gpu).device().index();
  }

  private static Set<Integer> devices(NodePlan node, List<Integer> gpus) {
    return gpus.stream().map(gpu -> device(node, gpu)).collect(Collectors.toSet());
  }

  @Test
  void theRuleTurnsWith2405() {
    assertEquals(LinkRule.MOST_LINKED, LinkRule.of(SlurmVersion.parse("23.11.10")));
    assertEquals(LinkRule.LEAST_LINKED, LinkRule.of(SlurmVersion.parse("24.05.0")));
    assertEquals(LinkRule.LEAST_LINKED, LinkRule.of(SlurmVersion.parse("26.05.5")));
  }

  @Test
  void from2405TheHalvesDiffer() {
    assertEquals(
        List.of(
            "-1,0,1,0,1,0",
            "0,-1,0,1,0,1",
            "1,0,-1,0,1,0",
            "3,2,3,-1,3,2",
            "2,3,2,3,-1,3",
            "3,2,3,2,3,-1"),
        linksOf(node(LinkRule.LEAST_LINKED, 2, 3, Order.SPREAD)));
  }

  /** A later type has its own halves: its jobs get no GPU of the other type. */
  @Test
  void eachTypeHasItsHalves() {
    NodePlan node =
        node(
            LinkRule.LEAST_LINKED,
            new DeviceGroup("a100", Fixtures.devices(2), 2, Order.SPREAD),
            new DeviceGroup("t4", Fixtures.devices(4).subList(2, 4), 2, Order.SPREAD));
    assertEquals("0,0,0,0,-1,0,1,0", linksOf(node).get(4));
    assertEquals("3,3,3,3,3,2,3,-1", linksOf(node).get(7));
  }

  @Test
  void theFileSaysWhichSlurmItIsFor() {
    NodePlan node = node(LinkRule.LEAST_LINKED, 1, 2, Order.PACK);
    String text = GresConfWriter.text(new GresPlan(List.of(node)));
    assertTrue(text.contains("\n# Links, for Slurm 24.05 and newer: -1 itself, "), text);
  }

  @Test
  void anEmptyNodeGivesTwoDevicesHoweverTheyAreAskedFor() {
    for (Order order : Order.values()) {
      for (int[] size : new int[][] {{2, 2}, {2, 3}, {2, 6}, {4, 4}, {8, 4}, {3, 5}}) {
        NodePlan node = node(LinkRule.LEAST_LINKED, size[0], size[1], order);
        GpuSelectionModel slurm = pick(node);
        String hint = order + " " + size[0] + "x" + size[1];
        assertEquals(2, devices(node, slurm.perNode(2, Set.of())).size(), hint);
        assertEquals(2, devices(node, slurm.perJob(2, Set.of())).size(), hint);
      }
    }
  }

  /** In random states of the node; the old form gives nearly always one device. */
  @Test
  void moreJobsGetTwoDevicesThanWithTheLinksOfBefore() {
    for (Order order : Order.values()) {
      NodePlan now = node(LinkRule.LEAST_LINKED, 4, 4, order);
      assertTrue(percent(now, pick(now)::perNode) >= 98, order + " --gres");
      assertTrue(percent(now, pick(now)::perJob) >= 90, order + " --gpus");
      NodePlan before = node(LinkRule.MOST_LINKED, 4, 4, order);
      assertTrue(percent(before, pick(before)::perNode) < 40, order + " as before 24.05");
    }
  }

  private static long percent(NodePlan node, BiFunction<Integer, Set<Integer>, List<Integer>> job) {
    Random random = new Random(1);
    int possible = 0;
    int good = 0;
    while (possible < STATES) {
      Set<Integer> taken = new HashSet<>();
      int size = random.nextInt(node.gpuCount() - 1);
      while (taken.size() < size) {
        taken.add(random.nextInt(node.gpuCount()));
      }
      List<Integer> free =
          Stream.iterate(0, gpu -> gpu + 1)
              .limit(node.gpuCount())
              .filter(gpu -> !taken.contains(gpu))
              .toList();
      if (devices(node, free).size() > 1) {
        possible++;
        good += devices(node, job.apply(2, taken)).size() > 1 ? 1 : 0;
      }
    }
    return 100L * good / possible;
  }
}
