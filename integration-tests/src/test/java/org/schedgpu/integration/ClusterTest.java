package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that share one cluster. After each test all jobs are ended; after all of them the region
 * must be as empty as at the start.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SkipsEach.class)
abstract class ClusterTest {
  SchedGpuCluster cluster;

  /** The cluster that these tests need. */
  abstract ClusterSetup setup();

  @BeforeAll
  void startCluster() {
    ClusterSetup setup = setup();
    List<String> missing = SchedGpuCluster.missing(setup);
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    cluster = SchedGpuCluster.start(setup);
  }

  @AfterEach
  void endJobs() {
    if (cluster != null) {
      cluster.cancelAll();
    }
  }

  @AfterAll
  void stopCluster() {
    if (cluster == null) {
      return;
    }
    try (SchedGpuCluster closed = cluster) {
      if (Files.exists(closed.runDir())) {
        requireNothingLeft(closed.status());
      }
    }
  }

  private static void requireNothingLeft(JsonNode status) {
    assertEquals(0, status.get("jobs").size(), status::toPrettyString);
    assertEquals(0, status.get("waiters").size(), status::toPrettyString);
    assertTrue(status.get("damage").isEmpty(), status::toPrettyString);
    for (JsonNode device : status.get("devices")) {
      assertEquals(0, device.get("usedBytes").asLong(), status::toPrettyString);
    }
  }
}
