package org.schedgpu.gres.plan;

import static org.schedgpu.gres.Fixtures.assertRefused;
import static org.schedgpu.gres.Fixtures.node;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.site.SlurmConfSettings;

class GresPlanTest {
  @Test
  void planHasANode() {
    assertRefused(
        "schedgpu gres: the plan has no node (0 given): give the facts of at least one",
        () -> new GresPlan(List.of()));
  }

  @Test
  void nodeIsPlannedOnce() {
    NodePlan node = node(1, 1, Order.PACK);
    assertRefused(
        "schedgpu gres: node gpu1 is in the plan twice: name each node once",
        () -> new GresPlan(List.of(node, node)));
  }

  @Test
  void parametersBelongToANodeOfThePlan() {
    SlurmConfSettings settings = SlurmConfSettings.defaults().withNodeParameters("gpu9", "CPUs=4");
    assertRefused(
        "schedgpu gres: there are parameters for gpu9, not a node of the plan: correct the name or"
            + " add the node's facts",
        () -> new GresPlan(List.of(node(1, 1, Order.PACK)), settings));
  }
}
