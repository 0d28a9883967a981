package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.rollout.DrainOwner;
import org.schedgpu.gres.rollout.NodeRecord;

/** Which nodes a rollout touches. */
class RolloutNodesTest {
  private static final Optional<String> FOLLOWS = Optional.of("20261122T030000Z");

  private Set<String> moved = Set.of();

  private static LiveNode node(String name, String gres, String reason, String... states) {
    return new LiveNode(name, Set.of(states), gres, "gpu:0", reason, 16);
  }

  private String touched(List<String> named, String target, LiveNode... live) {
    StringBuilder text = new StringBuilder();
    Map<String, String> gres = Map.of("a", target, "b", target);
    for (NodeRecord node : RolloutNodes.of(named, gres, List.of(live), moved, FOLLOWS)) {
      text.append(node.name()).append(node.changes() ? " changes;" : " stays;");
    }
    return text.toString();
  }

  @Test
  void nodeOutsideThePlanIsTouchedIfItsCountWouldChange() {
    assertEquals(
        "a stays;b changes;",
        touched(
            List.of("a"),
            "gpu:x:12",
            node("a", "gpu:x:12(S:0)", "", "IDLE"),
            node("b", "gpu:x:2", "", "IDLE")));
    assertEquals(
        "a changes;",
        touched(
            List.of("a"),
            "gpu:x:12",
            node("a", "gpu:y:12", "", "IDLE"),
            node("b", "gpu:x:12", "", "IDLE")));
  }

  @Test
  void nodeThatSlurmRefusesOrAnEarlierRolloutDrainedIsToBeResumed() {
    assertEquals(
        "b changes;a changes;",
        touched(
            List.of("b"),
            "gpu:x:2",
            node("a", "gpu:x:2", "", "IDLE", "INVALID_REG"),
            node("b", "gpu:x:2", "schedgpu rollout 20261122T030000Z", "IDLE", "DRAIN")));
    assertEquals("", touched(List.of(), "gpu:x:2", node("b", "gpu:x:2", "fan", "DRAIN")));
  }

  /** With a type or without: what slurmd -G says of it can be compared. */
  @Test
  void nodesOfOneGroupAreCheckable() {
    for (String gres : List.of("gpu:x:12", "gpu:12")) {
      List<NodeRecord> nodes =
          RolloutNodes.of(
              List.of("a"),
              Map.of("a", gres),
              List.of(node("a", "gpu:2", "", "IDLE")),
              Set.of(),
              Optional.empty());
      assertEquals(Map.of("a", gres), RolloutNodes.checkable(nodes));
    }
  }

  @Test
  void nodeOnWhichAnIndexMeansAnotherDeviceIsToBeDrained() {
    moved = Set.of("b");
    assertEquals(
        "a stays;b changes;",
        touched(
            List.of("a"),
            "gpu:x:2",
            node("a", "gpu:x:2", "", "IDLE"),
            node("b", "gpu:x:2", "", "IDLE")));
  }

  @Test
  void nodeThatAnUnknownRolloutDrainedIsRefused() {
    assertRefused(
        "schedgpu gres: node b is drained by another rollout (schedgpu rollout 1), which is not"
            + " known here: end that one where it was begun; if it is lost, give the node another"
            + " reason",
        () ->
            touched(List.of(), "gpu:x:12", node("b", "gpu:x:2", DrainOwner.REASON + "1", "DRAIN")));
  }

  @Test
  void nodeThatSlurmctldDoesNotKnowIsRefused() {
    assertRefused(
        "schedgpu gres: node b of the plan is not known to slurmctld: correct its name, or add it"
            + " to slurm.conf and restart slurmctld first",
        () -> touched(List.of("b"), "gpu:x:2", node("a", "gpu:x:2", "", "IDLE")));
  }

  @Test
  void nodeThatWouldVanishIsRefused() {
    assertRefused(
        "schedgpu gres: node c is not in the planned slurm.conf: a node with jobs must not"
            + " vanish: correct slurm.conf",
        () -> touched(List.of(), "gpu:x:2", node("c", "gpu:x:2", "", "IDLE")));
  }

  @Test
  void planWhoseSlurmConfSaysSomethingElseIsRefused() {
    RolloutNodes.requireSame(Map.of("a", "gpu:x:12", "b", ""), Map.of("a", "gpu:x:12,mps:1"));
    assertRefused(
        "schedgpu gres: node a would have gpu:x:2 in slurm.conf, gpu:x:12 in the plan: plan with"
            + " --slurm-conf, so that slurm.conf is part of the plan",
        () -> RolloutNodes.requireSame(Map.of("a", "gpu:x:12"), Map.of("a", "gpu:x:2")));
  }
}
