package org.schedgpu.gres.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.gres.live.GpuCounts;
import org.schedgpu.gres.live.LiveNode;

/** The judgement on a node. */
class NodeCheckTest {
  private static final PlannedNode PLANNED = new PlannedNode("n1", "gpu:x:4", List.of());

  private static List<Finding> check(String gres, String conf, String... states) {
    return NodeCheck.check(
        PLANNED,
        Optional.of(new LiveNode("n1", Set.of(states), gres, "", "why", 4)),
        Optional.ofNullable(conf));
  }

  @ParameterizedTest
  @CsvSource({"IDLE", "MIXED", "ALLOCATED", "IDLE+POWERED_DOWN", "MIXED+PLANNED", "IDLE+MAINT"})
  void statesInWhichJobsRun(String states) {
    assertEquals(List.of(), check("gpu:x:4(S:0-1),nic:2", "gpu:x:4", states.split("\\+")));
  }

  @ParameterizedTest
  @CsvSource({
    "IDLE+DRAIN+INVALID_REG, INVAL (why)",
    "DOWN+DRAIN+NOT_RESPONDING, DOWN (why)",
    "IDLE+NOT_RESPONDING, does not respond (why)",
    "MIXED+DRAIN, DRAIN (why)",
    "FUTURE, FUTURE (why)"
  })
  void statesThatAreNotRight(String states, String what) {
    List<Finding> found = check("gpu:x:4", "gpu:x:4", states.split("\\+"));

    assertEquals(List.of(what), found.stream().map(Finding::what).toList());
  }

  @Test
  void whetherSlurmConfOrTheDaemonsAreToBlame() {
    assertTrue(check("gpu:x:2", "gpu:x:4", "IDLE").get(0).action().startsWith("drain it of GPU"));
    assertTrue(check("gpu:x:2", "gpu:x:2", "IDLE").get(0).action().startsWith("put Gres=gpu:x:4"));
    assertEquals(
        "slurm.conf has gpu:x:2, not gpu:x:4", check("gpu:x:4", "gpu:x:2", "IDLE").get(0).what());
    assertEquals("slurmctld has no GPU, not gpu:x:4", check("", "gpu:x:4", "IDLE").get(0).what());
  }

  @Test
  void aNodeThatSlurmctldHasNot() {
    Finding finding = NodeCheck.check(PLANNED, Optional.empty(), Optional.empty()).get(0);

    assertEquals("slurmctld has no such node", finding.what());
  }

  @ParameterizedTest
  @CsvSource({
    "'gpu:x:4', 'gpu:x:4(S:0,1)', true",
    "'gpu:x:1024', 'gpu:x:1K', true",
    "'gpu:x:2,gpu:y:2', 'gpu:y:2,nic:1,gpu:x:2', true",
    "'gpu:x:2', 'gpu:y:2', false",
    "'gpu:2', 'gpu:x:2', false",
    "'gpu', 'gpu:1', true",
    "'gpu:k20m', 'gpu:k20m:1', true",
    "'', 'nic:3', true"
  })
  void theSameGpus(String one, String other, boolean same) {
    assertEquals(same, GpuCounts.same(one, other));
  }

  @Test
  void typesAreNotTakenForCounts() {
    assertEquals(Map.of("2080ti", 3L), GpuCounts.of("gpu:2080ti:3"));
    assertEquals(Map.of("k20m", 1L), GpuCounts.of("gpu:k20m"));
  }

  @Test
  void nodesWithTheSameTroubleShareALine() {
    List<Finding> findings =
        IntStream.rangeClosed(1, 2000)
            .mapToObj(i -> new Finding("n" + i, "DRAIN", "resume " + Finding.NODES))
            .toList();

    assertEquals(List.of("n[1-2000]: DRAIN: resume n[1-2000]"), Finding.lines(findings));
    assertEquals("resume n7", findings.get(6).complete().action());
  }
}
