package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.jna.BrokeredRun;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/** Mode=brokered with the real agent: the client of an ordinary user notices no difference. */
class BrokeredTest {
  private static final int USER = 54321;
  private static final long GIB = 1L << 30;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path log;

  @BeforeEach
  void node() throws Exception {
    RealLibrary.require();
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "other users are needed");
    node = new TestNode(folder);
    node.configure("Mode=brokered\n");
    log = folder.resolve("log");
    Files.setPosixFilePermissions(
        folder, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  /** A program of the user, with the library; its stdin stays open. */
  private static ProcessBuilder program(String script) {
    return new ProcessBuilder(
            "setpriv",
            "--reuid=" + USER,
            "--regid=" + USER,
            "--clear-groups",
            "/usr/bin/python3",
            "-uc",
            "import ctypes, sys\nl = ctypes.CDLL('%s')\n%s"
                .formatted(System.getProperty("schedgpu.library"), script))
        .redirectErrorStream(true);
  }

  /** A process that reserves through its job's gate, and reports it. */
  private Process client(Path said) throws Exception {
    ProcessBuilder builder =
        program(
            "l.schedgpu_gate.argtypes = [ctypes.c_int64]\n"
                + "print('gate', l.schedgpu_gate(-1))\n"
                + "sys.stdin.read()\n");
    builder.environment().put("SCHEDGPU_RUN_DIR", node.runDir().toString());
    builder.environment().put("SCHEDGPU_JOB", "slurm:7");
    return builder.redirectOutput(said.toFile()).start();
  }

  private void beginJob() {
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      region.jobBegin(
          new JobSpec(
              JobKind.SLURM,
              7,
              USER,
              50,
              Mode.GATE,
              1,
              false,
              JobSpec.FOREVER,
              new TreeMap<>(Map.of(0, 4 * GIB)),
              "job",
              false));
    }
  }

  @Test
  void anOrdinaryUserIsServedAlsoByTheNextAgent() throws Exception {
    Assumptions.assumeTrue(
        program("").start().waitFor() == 0, "Python and a library that others may read are needed");
    Process agent = node.startAgent(log);
    TestNode.await(log, "serves clients at " + node.runDir().resolve("agent.sock"), 1, agent);
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      assertEquals("rw----", region.info().modeText().substring(0, 6));
    }
    beginJob();
    Path said = folder.resolve("said");
    Process client = client(said);
    try {
      TestNode.await(said, "gate 0", 1, client);
      RegionSnapshot held = node.snapshot();
      assertEquals(4 * GIB, held.jobs().get(0).heldBytes().get(0));
      agent.destroyForcibly().waitFor();
      Process next = node.startAgent(log);
      TestNode.await(log, "serves clients at", 2, next);
      TestNode.await(log, "adopted=", 1, next);
      assertEquals(4 * GIB, node.snapshot().jobs().get(0).heldBytes().get(0));
    } finally {
      client.destroyForcibly().waitFor();
    }
  }

  private static JobSpec wanted(long budgetBytes) {
    return new JobSpec(
        JobKind.RUN,
        1,
        USER,
        50,
        Mode.ONDEMAND,
        1,
        true,
        JobSpec.FOREVER,
        new TreeMap<>(Map.of(0, budgetBytes)),
        "job",
        false);
  }

  private static ErrorCode refusal(BrokeredRun run, long budgetBytes) {
    return assertThrows(SchedGpuException.class, () -> run.begin(wanted(budgetBytes))).code();
  }

  @Test
  void aJobIsBegunByTheAgentWithinWhatItsConfigurationAllows() throws Exception {
    node.configure("Mode=brokered\nMaxMem=50%\nDefaultMem=1G\nHighPriorityUsers=root,4711\n");
    Process agent = node.startAgent(log);
    TestNode.await(log, "serves clients at", 1, agent);
    try (BrokeredRun run = BrokeredRun.open(node.runDir())) {
      assertEquals(List.of(new DeviceSpec(0, 16 * GIB, 0, GIB / 4, "GPU-0", "")), run.devices());
      assertEquals(ErrorCode.ETOOBIG, refusal(run, 8 * GIB + 512));

      JobSpec begun = run.begin(wanted(0));

      assertEquals(ProcessHandle.current().pid(), begun.jobId());
      assertEquals(Map.of(0, GIB), begun.budgetBytes());
      RegionSnapshot.Job job = node.snapshot().jobs().get(0);
      assertEquals(begun.reference(), job.reference());
      assertEquals(Posix.effectiveUid(), job.uid()); // the kernel's value, not the claimed one
    }
    assertEquals(List.of(), node.snapshot().jobs());
  }

  @Test
  void aConfigurationThatIsReadAgainCountsForTheNextJob() throws Exception {
    node.configure("Mode=brokered\nMaxMem=50%\n");
    Process agent = node.startAgent(log);
    TestNode.await(log, "serves clients at", 1, agent);
    node.configure("Mode=brokered\nMaxMem=25%\n");
    assertTrue(Posix.kill(agent.pid(), 1));
    TestNode.await(log, "configuration read again", 1, agent);

    for (boolean refused = false; !refused; ) { // its other thread gets the error next
      Thread.sleep(20); // a client that sends without a pause is throttled, and read later
      try (BrokeredRun run = BrokeredRun.open(node.runDir())) {
        run.begin(wanted(5 * GIB));
      } catch (SchedGpuException problem) {
        assertEquals(ErrorCode.ETOOBIG, problem.code());
        assertTrue(problem.getMessage().contains("MaxMem"), problem.getMessage());
        refused = true;
      }
    }
  }

  @Test
  void aRegionOfTheOtherModeIsReported() throws Exception {
    node.configure("");
    node.makeRegion();
    node.configure("Mode=brokered\n");
    Process agent = node.startAgent(log);
    TestNode.await(log, "it was made for Mode=shared: drain the node", 1, agent);
    assertFalse(Files.readString(log).contains("ERROR"));
  }
}
