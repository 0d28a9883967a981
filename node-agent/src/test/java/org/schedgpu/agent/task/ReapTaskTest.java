package org.schedgpu.agent.task;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.log.LogFormat;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Poll;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionLayout;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.SchedGpu;

/** The task itself, called by hand, so that the clock makes nothing due. */
class ReapTaskTest {
  private static final long LONG_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int SIGSTOP = 19;
  private static final int SIGCONT = 18;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private final Logger logger = Logger.getLogger("org.schedgpu.agent");
  private final List<String> said = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          said.add(new LogFormat(true).format(message).strip());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private TestNode node;
  private Process holder;
  private Process client;

  @BeforeEach
  void holder() throws Exception {
    RealLibrary.require();
    logger.addHandler(handler);
    node = new TestNode(folder);
    node.makeRegion();
    Path held = folder.resolve("held");
    holder = node.startHolder(held, "10G");
    TestNode.await(held, "holds", 1, holder);
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    logger.removeHandler(handler);
    if (client != null) {
      client.destroyForcibly().waitFor();
    }
    if (node != null) {
      node.close();
    }
  }

  @Test
  void aDeathIsReportedByTheKernelAndSettledBeforeAnythingIsDue() throws Exception {
    long nowNs = System.nanoTime();
    try (Reaper reaper = new Reaper(new RegionAccess(node.runDir(), LONG_NS), new AgentCounts());
        ReapTask task = ReapTask.ofRoot(reaper);
        Poll poll = new Poll()) {
      task.run(nowNs);
      holder.destroyForcibly().waitFor();
      assertTrue(poll.await(LONG_NS, task.descriptor().getAsInt())[0]);
      task.run(nowNs);
      assertEquals(0, node.snapshot().jobs().size());
      assertTrue(said.get(0).startsWith("<6>reap processes=1 jobs=1 bytes="), said::toString);
    }
  }

  /** Like a short-lived hook. */
  private void comeAndGo() throws IOException {
    try (FileChannel live =
        FileChannel.open(node.runDir().resolve("live.root"), StandardOpenOption.WRITE)) {
      assertTrue(live.isOpen());
    }
  }

  /** Two jobs: that of the holder, which is of the root side, and this one. */
  private Process startClient(SchedGpu region) throws Exception {
    region.jobBegin(
        new JobSpec(
            JobKind.SLURM,
            7,
            0,
            50,
            Mode.GATE,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(Map.of(0, 1L << 30)),
            "job",
            false));
    client = node.passGate(folder.resolve("passed"), "slurm:7");
    return client;
  }

  private static boolean isThere(SchedGpu region, Process process) {
    return region.snapshot().clients().stream().anyMatch(known -> known.pid() == process.pid());
  }

  @Test
  void hooksThatComeAndGoWakeOnlyWhoLooksAtHooks() throws Exception {
    long nowNs = System.nanoTime();
    try (Reaper reaper = new Reaper(new RegionAccess(node.runDir(), LONG_NS), new AgentCounts());
        ReapTask clients = ReapTask.ofClients(reaper);
        ReapTask root = ReapTask.ofRoot(reaper);
        Poll poll = new Poll();
        SchedGpu region = SchedGpu.open(node.runDir())) {
      Process ofJob = startClient(region);
      clients.run(nowNs);
      root.run(nowNs);
      long changes = region.changes();
      comeAndGo();
      assertArrayEquals(
          new boolean[] {false, true},
          poll.await(LONG_NS, clients.descriptor().getAsInt(), root.descriptor().getAsInt()));
      root.run(nowNs);
      assertEquals(changes, region.changes(), "nobody is dead");
      comeAndGo();
      ofJob.destroyForcibly().waitFor();
      assertTrue(poll.await(LONG_NS, clients.descriptor().getAsInt())[0]);
      root.run(nowNs);
      assertTrue(isThere(region, ofJob), "of no interest to it");
      clients.run(nowNs);
      assertFalse(isThere(region, ofJob));
    }
  }

  /**
   * A check whether the region was written would be due each second. The test passes in all times.
   */
  @Test
  void whereNothingHappensATickWritesNothing() {
    long nowNs = System.nanoTime();
    try (Reaper reaper = new Reaper(new RegionAccess(node.runDir(), LONG_NS), new AgentCounts());
        ReapTask task = ReapTask.ofClients(reaper);
        SchedGpu region = SchedGpu.open(node.runDir())) {
      task.run(nowNs);
      long changes = region.changes();
      task.run(nowNs + TimeUnit.SECONDS.toNanos(2));
      assertEquals(changes, region.changes());
      region.setForeign(0, 0);
      long written = region.changes();
      task.run(nowNs + TimeUnit.SECONDS.toNanos(4));
      assertNotEquals(written, region.changes(), "a reap follows what is written");
      long reaped = region.changes();
      task.run(nowNs + LONG_NS);
      assertNotEquals(reaped, region.changes(), "a reap is due after a while, whatever happens");
    }
  }

  private static char state(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  /** libc's. */
  private static final class Segment {
    static {
      Native.register(Segment.class, "c");
    }

    static native Pointer shmat(int shmid, Pointer address, int flags);

    static native int shmdt(Pointer address);
  }

  /** Makes the holder of the budget look as if it were stopped while it has the lock. */
  @Test
  void whoIsStoppedWithTheLockIsNamedOnceAndThatItIsFreeAgain() throws Exception {
    int shmid;
    Client client;
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      shmid = region.info().shmid();
      client = region.snapshot().clients().get(0);
    }
    RegionLayout layout = RegionLayout.ofLibrary();
    Pointer memory = Segment.shmat(shmid, null, 0);
    long nowNs = System.nanoTime();
    AgentCounts counts = new AgentCounts();
    try (Reaper reaper = new Reaper(new RegionAccess(node.runDir(), SHORT_NS), counts);
        ReapTask task = ReapTask.ofClients(reaper)) {
      task.run(nowNs); // takes a slot of its own, for which it needs the lock
      said.clear();
      assertTrue(Posix.kill(client.pid(), SIGSTOP));
      // It has the signal, and stops when it next gets a CPU.
      TestNode.await("it is stopped", () -> state(client.pid()) == 'T');
      long record =
          layout.at("client.offset") + (long) layout.at("client.stride") * client.record();
      int gen = memory.getInt(record + Integer.BYTES); // behind the state, see region.h
      memory.setInt(layout.at("region.lock"), client.record() + 1 | (gen & 0xfffff) << 11);
      task.run(nowNs + LONG_NS);
      task.run(nowNs + 2 * LONG_NS);
      assertTrue(counts.lockStuck());
      memory.setInt(layout.at("region.lock"), 0);
      Posix.kill(client.pid(), SIGCONT);
      task.run(nowNs + 3 * LONG_NS);
      assertFalse(counts.lockStuck());
    } finally {
      Segment.shmdt(memory);
      Posix.kill(client.pid(), SIGCONT);
    }
    assertEquals(2, said.size(), said::toString);
    assertEquals(
        "<4>lock held: pid=%d schedgpu-run state=T: the whole node waits: it is stopped: continue it (kill -CONT) or kill it"
            .formatted(client.pid()),
        said.get(0));
    assertTrue(said.get(1).startsWith("<6>lock free again after "), said::toString);
  }
}
