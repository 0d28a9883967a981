package org.schedgpu.agent.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.SchedGpu;

/** A real region, whose agent is this process. */
class CheckpointTaskTest {
  private static final long GIB = 1L << 30;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private SchedGpu region;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    node.makeRegion();
    region = SchedGpu.open(node.runDir());
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (region != null) {
      region.close();
      node.close();
    }
  }

  private void begin(long id) {
    region.jobBegin(
        new JobSpec(
            JobKind.SLURM,
            id,
            1000,
            50,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(Map.of(0, GIB)),
            "train"));
  }

  private Object writtenAs() throws IOException {
    return Files.readAttributes(node.runDir().resolve("checkpoint"), BasicFileAttributes.class)
        .fileKey();
  }

  private void toldJustNow() throws IOException {
    Files.setLastModifiedTime(
        node.runDir().resolve("checkpoint.due"), FileTime.from(Instant.now()));
  }

  private boolean due() {
    return Files.exists(node.runDir().resolve("checkpoint.due"));
  }

  @Test
  void whatBeginsIsReportedOnceAndWrittenOnce() throws IOException {
    try (FileWatch watch = new FileWatch();
        CheckpointTask task =
            new CheckpointTask(new RegionAccess(node.runDir(), TimeUnit.SECONDS.toNanos(5)))) {
      task.run(0);
      assertTrue(watch.watchCreations(node.runDir()));
      Object before = writtenAs();
      begin(1);
      assertTrue(watch.drain(), "the agent is told");
      toldJustNow(); // otherwise, on a busy host, the hook may no longer wait for it
      begin(2);
      assertFalse(watch.drain(), "it was told already");
      assertTrue(due());
      assertEquals(before, writtenAs());
      task.run(0);
      assertFalse(due());
      Object after = writtenAs();
      assertNotEquals(before, after);
      task.run(0);
      assertEquals(after, writtenAs(), "nothing was due");
    }
  }
}
