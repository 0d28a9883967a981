package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/** Mode=brokered under the real Slurm, on a node with two devices. */
final class BrokeredDevicesTest extends ClusterTest {
  private TestUser alice;
  private NodeAgent agent;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.twoDevices().conf("Mode=brokered", "OnFailure=refuse");
  }

  @BeforeAll
  void makeUserAndAgent() throws IOException {
    alice = TestUsers.ensure("sgcarol");
    agent = NodeAgent.startBroker(cluster);
  }

  @AfterAll
  void endAgentAndUser() throws InterruptedException {
    if (agent != null) {
      assertEquals(0, agent.end());
    }
    if (alice != null) {
      alice.close();
    }
  }

  private SlurmCommands as(TestUser user) {
    return cluster.slurm().as(user.name());
  }

  /** On both devices at once; a later job that wants one of them waits for it. */
  @Test
  void aJobHoldsItsBudgetOnEachOfItsDevices() {
    List<String> both = List.of("--gres=gpu:2", "--schedgpu-mem=800M", "--schedgpu-distinct");
    Path held = cluster.barrier("held");
    Path end = cluster.barrier("end");
    String program =
        cluster.gpuUser("alloc", 700, "device", 1, "alloc", 700, "touch", held, "until", end);
    long first = cluster.sbatch(as(alice), both, program);
    cluster.await(held);

    JsonNode devices = cluster.statusOf(first).get("devices");
    assertEquals(2, devices.size(), devices::toPrettyString);
    for (JsonNode device : devices) {
      assertEquals(800L << 20, device.get("reservedBytes").asLong(), devices::toPrettyString);
    }
    long second =
        cluster.sbatch(
            as(alice),
            List.of("--gres=gpu:1", "--schedgpu-mem=800M"),
            cluster.gpuUser("alloc", 700));
    cluster.awaitOutput(second, "schedgpu: waiting for");
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
    assertTrue(cluster.output(second).contains("schedgpu: got "), cluster.output(second));
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
  }
}
