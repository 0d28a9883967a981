package org.schedgpu.integration;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The commands of the tutorial and of pages on a node work as shown. */
final class DocumentationTest extends PageTest {
  @Test
  void tutorialWorks() throws IOException {
    run("tutorial/first-job.md");
  }

  @Test
  void whatCannotBePreloadedWorks() throws IOException {
    run("how-to/without-preload.md");
  }

  @Test
  void jobsCanAskForALane() throws IOException {
    run("how-to/share-a-gpu-in-turns.md");
  }

  @Test
  void theAgentsConfigurationCanBeChecked() throws IOException {
    run("how-to/agent.md");
  }

  @Test
  void memoryThatNobodyReservedCanBeLookedFor() throws IOException {
    cluster.srun(List.of("--gres=gpu:1"), "show").orThrow(); // makes the region
    run("how-to/unreserved-memory.md");
  }

  @Test
  void whoWaitsCanBeSeen() throws IOException {
    cluster.srun(List.of("--gres=gpu:1"), "show").orThrow(); // makes the region
    run("how-to/see-who-waits.md");
  }
}
