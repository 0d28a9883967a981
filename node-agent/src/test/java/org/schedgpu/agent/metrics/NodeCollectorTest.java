package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.AgentCounts.Usage;
import org.schedgpu.agent.task.AgentCounts.UsageOwner;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionLayout;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.SchedGpu;

/** Scrapes of real regions, intact and broken. */
class NodeCollectorTest {
  private static final int SIGSTOP = 19;
  private static final int SIGCONT = 18;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final AgentCounts counts = new AgentCounts();
  private TestNode node;
  private NodeCollector collector;

  @BeforeEach
  void node() throws Exception {
    RealLibrary.require();
    node = new TestNode(folder);
    collector =
        new NodeCollector(
            new RegionAccess(node.runDir(), TimeUnit.MILLISECONDS.toNanos(50)),
            new FakeNvml(Map.of("GPU-0", new NvmlSource.Seen(GIB, OptionalInt.of(30)))),
            counts,
            "0.1.0");
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      collector.close();
      node.close();
    }
  }

  /** An NVML with constant answers. */
  record FakeNvml(Map<String, Seen> answer) implements NvmlSource {
    @Override
    public Map<String, Seen> ask() {
      return answer;
    }

    @Override
    public void close() {}
  }

  private Scrape scrape() {
    return Scrape.of(collector.collect());
  }

  /** Functions of libc that the tests of this class need. */
  private static final class Segment {
    static {
      Native.register(Segment.class, "c");
    }

    static native Pointer shmat(int shmid, Pointer address, int flags);

    static native int shmdt(Pointer address);
  }

  @Test
  void aRegionThatIsMadeLaterIsSeen() {
    assertEquals(0, scrape().value("schedgpu_up"));
    node.makeRegion();
    counts.deviceProblem(0);
    counts.deviceProblem(-1);
    Scrape scrape = scrape();
    assertEquals(1, scrape.value("schedgpu_up"));
    assertEquals(1, scrape.value("schedgpu_device_problems_total{device=\"0\"}"));
    assertEquals(GIB, scrape.value("schedgpu_device_memory_nvml_used_bytes{device=\"0\"}"));
    assertEquals(0.3, scrape.value("schedgpu_device_busy_ratio{device=\"0\"}"));
    assertTrue(SchedGpu.remove(node.runDir(), true));
    assertEquals(0, scrape().value("schedgpu_up"));
    assertEquals(0, scrape().value("schedgpu_snapshots_failed_total"), "there is none to read");
  }

  @Test
  void whatTheAgentDidIsCounted() {
    counts.overrun();
    counts.overrun();
    counts.programEnded();
    counts.lockStuck(true);
    counts.use(new UsageOwner("alice", "hpc"), Usage.memory(8, 4));
    counts.use(new UsageOwner("alice", "hpc"), Usage.turns(1.5));
    Scrape scrape = scrape();
    assertEquals(2, scrape.value("schedgpu_overruns_total"));
    assertEquals(1, scrape.value("schedgpu_programs_ended_total"));
    String alice = "{account=\"hpc\",user=\"alice\"}";
    assertEquals(8, scrape.value("schedgpu_user_reserved_byte_seconds_total" + alice));
    assertEquals(4, scrape.value("schedgpu_user_used_byte_seconds_total" + alice));
    assertEquals(1.5, scrape.value("schedgpu_user_turn_seconds_total" + alice));
    assertEquals(1, scrape.value("schedgpu_lock_stuck"));
    assertEquals(1, scrape.value("schedgpu_build_info{version=\"0.1.0\"}"));
  }

  /**
   * A client is stopped while it holds the lock, in the middle of a change. The scrape gives up in
   * time and reports that, without any number of the region.
   */
  @Test
  void ofAStuckRegionTheTruthIsReportedAndNothingElse() throws Exception {
    node.makeRegion();
    Path held = folder.resolve("held");
    Process holder = node.startHolder(held, "1G");
    TestNode.await(held, "holds", 1, holder);
    assertEquals(1, scrape().value("schedgpu_jobs{state=\"holding\"}"));
    int shmid;
    Client client;
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      shmid = region.info().shmid();
      client =
          region.snapshot().clients().stream()
              .filter(c -> c.pid() == holder.pid())
              .findFirst()
              .orElseThrow();
    }
    RegionLayout layout = RegionLayout.ofLibrary();
    Pointer memory = Segment.shmat(shmid, null, 0);
    try {
      assertTrue(Posix.kill(client.pid(), SIGSTOP));
      long record =
          layout.at("client.offset") + (long) layout.at("client.stride") * client.record();
      int gen = memory.getInt(record + Integer.BYTES); // behind the state, see region.h
      memory.setInt(layout.at("region.lock"), client.record() + 1 | (gen & 0xfffff) << 11);
      memory.setLong(layout.at("region.seq"), memory.getLong(layout.at("region.seq")) + 1);
      Scrape scrape = scrape();
      assertEquals(0, scrape.value("schedgpu_up"));
      assertEquals(1, scrape.value("schedgpu_snapshots_failed_total"));
      assertFalse(scrape.text().contains("schedgpu_jobs"), scrape::text);
      assertFalse(scrape.text().contains("schedgpu_device"), scrape::text);
      memory.setLong(layout.at("region.seq"), memory.getLong(layout.at("region.seq")) + 1);
      memory.setInt(layout.at("region.lock"), 0);
    } finally {
      Segment.shmdt(memory);
      Posix.kill(client.pid(), SIGCONT);
    }
    assertEquals(1, scrape().value("schedgpu_up"));
    assertEquals(1, scrape().value("schedgpu_jobs{state=\"holding\"}"));
  }
}
