package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;

/** The facts that slurmctld adds to a plan. */
class LiveClusterTest {
  private final List<LiveNode> nodes = new ArrayList<>();
  private final List<LiveJob> jobs = new ArrayList<>();

  private LiveCluster cluster() {
    return new LiveCluster(
        new Controller() {
          @Override
          public String description() {
            return "a fake";
          }

          @Override
          public List<LiveNode> nodes() {
            return nodes;
          }

          @Override
          public List<LiveJob> jobs() {
            return jobs;
          }

          @Override
          public Optional<String> slurmVersion() {
            return Optional.of("26.05.5");
          }

          @Override
          public boolean canChangeNodes() {
            return false;
          }

          @Override
          public void drain(String node, String reason) {
            throw new UnsupportedOperationException(node);
          }

          @Override
          public void resume(String node) {
            throw new UnsupportedOperationException(node);
          }
        });
  }

  private void node(String name, String gres, String state) {
    nodes.add(new LiveNode(name, Set.of(state), gres, "", "why", 16));
  }

  private List<String> notes(String gres, int devices) {
    return cluster().notes(Map.of("gpu1", gres), Map.of("gpu1", devices));
  }

  @Test
  void theVersionIsThatOfSlurmctld() {
    assertEquals(Optional.of(SlurmVersion.parse("26.05")), cluster().version());
  }

  @Test
  void cpusOnlyWhereTheFactsHaveNone() {
    node("gpu1", "gpu:2", "IDLE");

    assertEquals(16, cluster().withCpus(Fixtures.facts(null, 2)).cpus());
    assertEquals(4, cluster().withCpus(Fixtures.facts(4, 2)).cpus());
    nodes.clear();
    assertEquals(null, cluster().withCpus(Fixtures.facts(null, 2)).cpus());
  }

  @Test
  void aNodeThatIsAsTheFactsSayIsNotMentioned() {
    node("gpu1", "gpu:2", "IDLE");
    node("login", "", "IDLE");

    assertEquals(List.of(), notes("gpu:k20m:12", 2));
    assertEquals(List.of(), notes("gpu:2", 2));
  }

  @Test
  void countsThatDoNotFitTheDevices() {
    node("gpu1", "gpu:k20m:3", "IDLE");

    assertEquals(
        List.of(
            "node gpu1: slurmctld has gpu:k20m:3, the facts 2 devices: see which is right before it"
                + " changes"),
        notes("gpu:k20m:12", 2));
  }

  @Test
  void nodesWithoutFactsAndFactsWithoutANode() {
    node("gpu2", "gpu:2", "IDLE");
    node("gpu3", "gpu:2", "IDLE");

    assertEquals(
        List.of(
            "node gpu1 is not among slurmctld's nodes: define it in slurm.conf",
            "no facts are given of gpu[2-3] with gpu:2: not in the plan"),
        notes("gpu:k20m:12", 2));
  }

  @Test
  void statesInWhichANodeTakesNoJobs() {
    node("gpu1", "gpu:2", "DRAIN");

    assertEquals(List.of("node gpu1 is DRAIN (why)"), notes("gpu:k20m:12", 2));
  }

  @Test
  void gpuJobsOnNodesThatChange() {
    node("gpu1", "gpu:2", "MIXED");
    jobs.add(new LiveJob(1, "alice", "RUNNING", Set.of("gpu1", "gpu9"), "gres:gpu:1"));
    jobs.add(new LiveJob(2, "bob", "RUNNING", Set.of("gpu1"), ""));
    jobs.add(new LiveJob(3, "carol", "PENDING", Set.of(), "gres:gpu:1"));
    jobs.add(new LiveJob(4, "dave", "RUNNING", Set.of("gpu1"), "gres:shard:6"));

    assertEquals(
        List.of(
            "GPU job 1 of alice (RUNNING) is on gpu1, which changes",
            "GPU job 4 of dave (RUNNING) is on gpu1, which changes"),
        notes("gpu:k20m:12", 2));
    assertEquals(List.of(), notes("gpu:2", 2));
  }

  @Test
  void notMoreThanTenJobsAreListed() {
    node("gpu1", "gpu:2", "MIXED");
    LongStream.range(0, 12)
        .forEach(id -> jobs.add(new LiveJob(id, "a", "RUNNING", Set.of("gpu1"), "gres:gpu:1")));

    List<String> notes = notes("gpu:k20m:12", 2);

    assertEquals(11, notes.size());
    assertEquals("and 2 more GPU jobs on nodes that change", notes.get(10));
  }
}
