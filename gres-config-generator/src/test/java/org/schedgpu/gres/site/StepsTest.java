package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The steps that a change needs on a live cluster, and no more. */
class StepsTest {
  @TempDir Path folder;

  private static List<String> commands(List<Step> steps) {
    return steps.stream().flatMap(step -> step.commands().stream()).toList();
  }

  private SiteFixture unchangedCounts() {
    return new SiteFixture(folder).node("g1", "gpu:2", "gpu:2").node("g2", "gpu:2", "gpu:2");
  }

  @Test
  void countsNeedDrainedNodesAndRestartsInThisOrder() {
    SiteFixture site = new SiteFixture(folder).node("g2", "gpu:2", "gpu:2");
    List<Step> steps = site.change("").steps(Set.of("slurm.conf", "gres.conf"), Set.of());
    assertEquals(
        List.of(
            "scontrol update nodename=g1 state=drain reason=\"schedgpu: new GPU count\"",
            "squeue --nodelist=g1 --states=running,suspended,completing -o \"%i %u %T %b\"",
            "schedgpu gres apply --plan plan.json --check",
            "systemctl restart slurmctld",
            "systemctl restart slurmd",
            "scontrol update nodename=g1 state=resume",
            "srun --nodelist=g1 --gres=gpu:1 hostname",
            "schedgpu gres rollout --plan plan.json"),
        commands(steps));
    assertTrue(steps.get(1).what().contains("are killed and requeued"));
    assertTrue(steps.get(4).what().startsWith("Restart slurmd on g1. "), steps.get(4).what());
  }

  @Test
  void afterFewerGpusSlurm2302NeedsAnotherRestart() {
    SiteFixture fewer = new SiteFixture(folder).node("g1", "gpu:24", "gpu:2");
    String last = "restart slurmctld once more after it";
    assertTrue(fewer.change("").steps(Set.of("slurm.conf"), Set.of()).get(4).what().contains(last));
    List<Step> more = new SiteFixture(folder).change("").steps(Set.of("slurm.conf"), Set.of());
    assertFalse(more.get(4).what().contains(last));
  }

  /** Without it a node runs jobs without scheduling. */
  @Test
  void aNodeMustFindDevicesConf() {
    SiteFixture site = new SiteFixture(folder).node("g2", "gpu:2", "gpu:2");
    List<Step> steps = site.change("").steps(Set.of("gres.conf", "devices.conf"), Set.of());
    assertTrue(
        steps
            .get(2)
            .commands()
            .get(1)
            .startsWith("ln -sf " + folder + "/devices.conf /etc/schedgpu/devices.conf "),
        steps.get(2)::toString);
  }

  @Test
  void nodesAreFoldedAndWhatAllReadNeedsAllSlurmds() {
    List<Step> steps =
        new SiteFixture(folder)
            .bare("ClusterName=x\n" + SiteFixture.NODES + "NodeName=c1\n")
            .steps(Set.of("slurm.conf"), Set.of());
    assertTrue(commands(steps).get(0).contains("nodename=g[1-2] "), commands(steps).get(0));
    assertTrue(
        steps
            .get(4)
            .what()
            .startsWith("Restart slurmd on every node, not only g[1-2]: all read GresTypes."),
        steps.get(4).what());
  }

  @Test
  void otherLinesOfGresConfNeedThemToo() {
    List<Step> steps = unchangedCounts().change("").steps(Set.of("gres.conf"), Set.of());
    assertTrue(commands(steps).get(0).contains("nodename=g[1-2] state=drain"));
  }

  @Test
  void settingsThatDaemonsTakeOverNeedNoRestart() {
    SiteChange change =
        unchangedCounts()
            .with(SlurmConfSettings.defaults().withHooks("/s/p", "/s/e"))
            .bare("ClusterName=x\nGresTypes=gpu\nPrologFlags=Alloc\n" + SiteFixture.NODES);
    assertEquals(
        List.of("schedgpu gres apply --plan plan.json --check", "scontrol reconfigure"),
        commands(change.steps(Set.of("slurm.conf"), Set.of())));
    assertEquals(
        List.of(
            "schedgpu gres apply --plan plan.json --check",
            "systemctl restart slurmctld",
            "systemctl restart slurmd"),
        commands(change.steps(Set.of("slurm.conf", "cgroup.conf"), Set.of())));
  }

  @Test
  void nothingToDoHasNoSteps() {
    assertEquals(List.of(), new SiteFixture(folder).change("").steps(Set.of(), Set.of()));
  }
}
