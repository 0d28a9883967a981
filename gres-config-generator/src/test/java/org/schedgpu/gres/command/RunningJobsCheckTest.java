package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.schedgpu.gres.Fixtures.assertRefused;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;

/** apply writes no files while GPU jobs run that a reconfigure would kill. */
class RunningJobsCheckTest {
  private static final Map<String, String> PLAN =
      Map.of("gpu1", "gpu:k20m:12", "gpu2", "gpu:k20m:12");

  private final List<LiveJob> jobs = new ArrayList<>();
  private final List<LiveNode> nodes = new ArrayList<>();
  private String version = "24.11.5";

  private final Controller slurm =
      new Controller() {
        @Override
        public String description() {
          return "a fake";
        }

        @Override
        public Optional<String> slurmVersion() {
          return Optional.ofNullable(version);
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
      };

  private void node(String name, String gres, String used) {
    nodes.add(new LiveNode(name, Set.of("MIXED"), gres, used, "", 16));
  }

  private void job(String node, String asks) {
    jobs.add(new LiveJob(7, "alice", "RUNNING", Set.of(node), asks));
  }

  private void assertAllowed() {
    assertDoesNotThrow(() -> RunningJobsCheck.refuse(slurm, PLAN));
  }

  private void assertRefusedFor(String hosts) {
    assertRefused(
        "schedgpu gres: GPU jobs run on "
            + hosts
            + ", whose count changes: with the files in place the next scontrol reconfigure, whoever"
            + " calls it, kills and requeues them (Slurm 24.11): drain the nodes and wait, as"
            + " schedgpu gres rollout does, or repeat with --while-jobs-run",
        () -> RunningJobsCheck.refuse(slurm, PLAN));
  }

  @Test
  void gpuJobsOfNodesThatChangeAreInTheWay() {
    node("gpu1", "gpu:k20m:2", "");
    node("gpu2", "gpu:k20m:2", "gpu:k20m:2(IDX:0-1)");
    job("gpu1", "gres:gpu:1");
    assertRefusedFor("gpu[1-2]");
  }

  @Test
  void otherJobsAreNot() {
    node("gpu1", "gpu:k20m:2", "gpu:k20m:0(IDX:N/A)");
    node("gpu2", "gpu:k20m:12", "gpu:k20m:1(IDX:0)");
    node("gpu3", "gpu:k20m:2", "gpu:k20m:2(IDX:0-1)");
    job("gpu1", "");
    assertAllowed();
  }

  /** 22.05 refuses a changed count at a reconfigure. */
  @Test
  void whereReconfigureRefusesNothingIsInTheWay() {
    node("gpu1", "gpu:k20m:2", "gpu:k20m:2(IDX:0-1)");
    version = "22.05.8";
    assertAllowed();
    version = null;
    assertAllowed();
  }
}
