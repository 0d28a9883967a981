package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.Policy;

class ConfTest {
  private static final Path FILE = Path.of("/etc/schedgpu/schedgpu.conf");
  private static final long GIB = 1L << 30;

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private static Conf parse(String... lines) {
    return Conf.parse(FILE, String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> problems(String... lines) {
    return assertThrows(AgentException.class, () -> parse(lines)).getMessage().lines().toList();
  }

  @Test
  void defaultsAreThoseOfTheReference() {
    for (Conf conf : List.of(Conf.defaults(), parse())) {
      assertEquals(Path.of("/run/schedgpu"), conf.runDir());
      assertEquals(Path.of("/etc/schedgpu/devices.conf"), conf.devicesFile());
      assertEquals(Policy.FIFO, conf.policy());
      assertEquals(Optional.empty(), conf.defaultMem());
      assertEquals(0, conf.safetyMarginBytes(GIB));
      assertEquals(90, conf.maxPriority());
      assertEquals(0, conf.graceNs());
      assertEquals(1_000_000_000L, conf.laneQuantumNs());
      assertEquals(64, conf.overtakeLimit());
      assertEquals(DeadlockRule.AVOID, conf.deadlockRule());
      assertFalse(conf.refuseOnFailure());
      assertFalse(conf.managedPasses());
      assertTrue(conf.frameworkEnvironment());
      assertEquals(Optional.empty(), conf.regionGroup());
      assertEquals(Optional.empty(), conf.preloadLibrary());
      assertEquals(OverrunAction.WARN, conf.overrunAction());
      assertEquals(UnscheduledAction.WARN, conf.unscheduled());
      assertEquals(5_000_000_000L, conf.overrunEveryNs());
      assertEquals(10_000_000_000L, conf.overrunGraceNs());
      assertTrue(conf.driverLimits());
      assertTrue(conf.learnContext());
      assertEquals(Path.of("/var/lib/schedgpu/contexts.conf"), conf.contextFile());
      assertEquals(60_000_000_000L, conf.checkEveryNs());
      assertEquals(OptionalLong.of(600_000_000_000L), conf.leftJobGraceNs());
      assertEquals(Path.of("/var/lib/schedgpu/history.db"), conf.historyFile());
      assertEquals(OptionalLong.of(30 * 86_400_000_000_000L), conf.historyKeepNs());
      assertEquals(256L << 20, conf.historyMaxBytes());
      assertEquals(10_000_000_000L, conf.sampleEveryNs());
      assertTrue(conf.jobsArePrivate());
      assertEquals("info", conf.logLevel());
      assertEquals(Optional.empty(), conf.metricsListen());
    }
  }

  @Test
  void everyKeyIsRead() {
    Conf conf =
        parse(
            "# all of them",
            "RunDir=/run/other",
            "DevicesFile=/etc/d.conf",
            "policy=priority-mmu",
            "DefaultMem=25%",
            "MaxMem=2G # no more",
            "DefaultPriority=low",
            "MaxPriority=60",
            "HighPriorityUsers=alice,1001",
            "Wait=10m",
            "Grace=500ms",
            "OvertakeLimit=0",
            "DeadlockRule=Detect",
            "SafetyMargin=512M",
            "OnFailure=refuse",
            "OnHookFailure=drain",
            "HookTimeout=10s",
            "Overflow=Wait",
            "ManagedMemory=Pass",
            "LaneQuantum=250ms",
            "FrameworkEnvironment=No",
            "RegionGroup=\"gpu users\"",
            "PreloadLibrary=/opt/p.so",
            "OverrunAction=End",
            "OverrunEvery=100ms",
            "OverrunGrace=0",
            "Unscheduled=Gate",
            "DriverLimits=No",
            "LearnContext=no",
            "ContextFile=/srv/contexts",
            "CheckEvery=1h",
            "LeftJobGrace=forever",
            "HistoryFile=/srv/h.db",
            "HistoryKeep=forever",
            "HistoryMax=1G",
            "SampleEvery=1h",
            "PrivateData=None",
            "LogLevel=Debug",
            "MetricsListen=[::1]:10835");
    assertEquals(Path.of("/srv/h.db"), conf.historyFile());
    assertEquals(OptionalLong.empty(), conf.historyKeepNs());
    assertEquals(GIB, conf.historyMaxBytes());
    assertEquals(3_600_000_000_000L, conf.sampleEveryNs());
    assertFalse(conf.jobsArePrivate());
    assertEquals(Path.of("/run/other"), conf.runDir());
    assertEquals(Path.of("/etc/d.conf"), conf.devicesFile());
    assertEquals(Policy.PRIORITY_MMU, conf.policy());
    assertEquals(Optional.of("25%"), conf.defaultMem());
    assertEquals(60, conf.maxPriority());
    assertEquals(500_000_000L, conf.graceNs());
    assertEquals(250_000_000L, conf.laneQuantumNs());
    assertEquals(0, conf.overtakeLimit());
    assertEquals(DeadlockRule.DETECT, conf.deadlockRule());
    assertEquals(512L << 20, conf.safetyMarginBytes(GIB));
    assertTrue(conf.refuseOnFailure());
    assertTrue(conf.managedPasses());
    assertFalse(conf.frameworkEnvironment());
    assertEquals(Optional.of("gpu users"), conf.regionGroup());
    assertEquals(Optional.of(Path.of("/opt/p.so")), conf.preloadLibrary());
    assertEquals(OverrunAction.END, conf.overrunAction());
    assertEquals(UnscheduledAction.GATE, conf.unscheduled());
    assertEquals(100_000_000L, conf.overrunEveryNs());
    assertEquals(0, conf.overrunGraceNs());
    assertFalse(conf.driverLimits());
    assertFalse(conf.learnContext());
    assertEquals(Path.of("/srv/contexts"), conf.contextFile());
    assertEquals(3_600_000_000_000L, conf.checkEveryNs());
    assertEquals(OptionalLong.empty(), conf.leftJobGraceNs());
    assertEquals("debug", conf.logLevel());
    assertEquals(ListenAddress.of("[::1]:10835"), conf.metricsListen());
  }

  /** Metrics have no password. */
  @Test
  void othersMayReadMetricsOnlyIfThatIsSaid() {
    assertEquals(
        List.of(
            FILE
                + ":2: MetricsListen=0.0.0.0:10835: other hosts could read without a password what"
                + " the GPUs do: use 127.0.0.1 behind a proxy with TLS, or set MetricsPublic=yes"),
        problems("Policy=fifo", "MetricsListen=0.0.0.0:10835"));
    assertEquals(
        List.of(
            FILE
                + ":1: MetricsListen=10835: must be 127.0.0.1:PORT, [::1]:PORT or the absolute path"
                + " of a UNIX socket"),
        problems("MetricsListen=10835"));
    assertTrue(
        parse("MetricsListen=[::]:10835", "MetricsPublic=Yes")
            .metricsListen()
            .orElseThrow()
            .isPublic());
  }

  /** Tests in libschedgpu/tests/conf check which values are right. */
  @Test
  void everyProblemIsReportedAtOnce() {
    assertEquals(
        List.of(
            FILE + ":1: unknown key 'Polcy': did you mean Policy?",
            FILE + ":2: OverrunAction=kill: must be leave, warn or end",
            FILE + ":3: a NUL byte: this is not a text file",
            FILE + ": DefaultPriority (50) is above MaxPriority (10): lower the first"),
        problems("Polcy=fifo", "OverrunAction=kill", "MaxMem=\0", "MaxPriority=low"));
  }

  @Test
  void theHistoryOfAnotherRunDirectoryIsInIt() {
    assertEquals(Path.of("/run/two/history.db"), parse("RunDir=/run/two").historyFile());
    assertEquals(parse().historyFile(), parse("RunDir=/run/schedgpu").historyFile());
  }

  @Test
  void theDevicesFileIsBesideTheFile() {
    assertEquals(
        Path.of("/tmp/devices.conf"),
        Conf.parse(Path.of("/tmp/s.conf"), new byte[0]).devicesFile());
  }

  @Test
  void theFileBesideSlurmConfComesFirst(@org.junit.jupiter.api.io.TempDir Path folder)
      throws java.io.IOException {
    String slurmConf = folder.resolve("slurm.conf").toString();
    Path own = folder.resolve("schedgpu.conf");

    assertEquals(FILE, Conf.usualPlace(java.util.Map.of()));
    assertEquals(FILE, Conf.usualPlace(java.util.Map.of("SLURM_CONF", slurmConf)));
    java.nio.file.Files.createFile(own);
    assertEquals(own, Conf.usualPlace(java.util.Map.of("SLURM_CONF", slurmConf)));
  }

  @Test
  void waitsHaveNoLimit() {
    Conf none = Conf.defaults();
    assertEquals(OptionalLong.empty(), none.waitLimitNs());
    assertEquals(OptionalLong.empty(), none.waitLimitNodesNs());
    assertEquals(WaitAction.REQUEUE, none.waitAction());
    assertFalse(none.compensatesWait());
    Conf some =
        parse(
            "CompensateWait=yes",
            "CompensateMost=2m",
            "WaitLimit=10s",
            "WaitLimitNodes=1h",
            "WaitAction=Fail");
    assertTrue(some.compensatesWait());
    assertEquals(120L * 1_000_000_000, some.compensateMostNs());
    assertEquals(OptionalLong.of(10L * 1_000_000_000), some.waitLimitNs());
    assertEquals(OptionalLong.of(3600L * 1_000_000_000), some.waitLimitNodesNs());
    assertEquals(WaitAction.FAIL, some.waitAction());
  }
}
