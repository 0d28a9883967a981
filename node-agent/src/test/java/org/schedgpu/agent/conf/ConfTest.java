package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Policy;

class ConfTest {
  private static final Path FILE = Path.of("/etc/schedgpu/schedgpu.conf");
  private static final long GIB = 1L << 30;

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private static Conf parse(String... lines) {
    return Conf.parse(FILE, List.of(lines));
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
      assertEquals(GIB, conf.maxMemBytes(GIB));
      assertEquals(0, conf.safetyMarginBytes(GIB));
      assertEquals(50, conf.defaultPriority());
      assertEquals(90, conf.maxPriority());
      assertFalse(conf.mayExceedMaxPriority(0, "root"));
      assertEquals(JobSpec.FOREVER, conf.waitNs());
      assertEquals(0, conf.graceNs());
      assertEquals(64, conf.overtakeLimit());
      assertEquals(DeadlockRule.AVOID, conf.deadlockRule());
      assertFalse(conf.refuseOnFailure());
      assertFalse(conf.overflowWaits());
      assertFalse(conf.managedPasses());
      assertTrue(conf.frameworkEnvironment());
      assertEquals(Optional.empty(), conf.regionGroup());
      assertEquals(Optional.empty(), conf.preloadLibrary());
      assertEquals(OverrunAction.WARN, conf.overrunAction());
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
            "FrameworkEnvironment=No",
            "RegionGroup=\"gpu users\"",
            "PreloadLibrary=/opt/p.so",
            "OverrunAction=End",
            "OverrunEvery=100ms",
            "OverrunGrace=0",
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
    assertEquals(2 * GIB, conf.maxMemBytes(4 * GIB));
    assertEquals(10, conf.defaultPriority());
    assertEquals(60, conf.maxPriority());
    assertTrue(conf.mayExceedMaxPriority(1, "alice"));
    assertTrue(conf.mayExceedMaxPriority(1001, "bob"));
    assertFalse(conf.mayExceedMaxPriority(1002, "bob"));
    assertEquals(600_000_000_000L, conf.waitNs());
    assertEquals(500_000_000L, conf.graceNs());
    assertEquals(0, conf.overtakeLimit());
    assertEquals(DeadlockRule.DETECT, conf.deadlockRule());
    assertEquals(512L << 20, conf.safetyMarginBytes(GIB));
    assertTrue(conf.refuseOnFailure());
    assertTrue(conf.overflowWaits());
    assertTrue(conf.managedPasses());
    assertFalse(conf.frameworkEnvironment());
    assertEquals(Optional.of("gpu users"), conf.regionGroup());
    assertEquals(Optional.of(Path.of("/opt/p.so")), conf.preloadLibrary());
    assertEquals(OverrunAction.END, conf.overrunAction());
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
                + " the GPUs do: use 127.0.0.1 behind a proxy with TLS, or say MetricsPublic=yes"),
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

  @Test
  void everyProblemIsReportedAtOnce() {
    assertEquals(
        List.of(
            FILE + ":1: unknown key 'Polcy': did you mean Policy?",
            FILE + ":2: unknown key 'Zzz'",
            FILE + ":3: Policy=lifo: must be fifo, mmu, priority-fifo, priority-mmu",
            FILE + ":4: HookTimeout=0: must be a time of 1 s to 300 s",
            FILE + ":5: OvertakeLimit=1000001: must be 0 to 1000000",
            FILE + ":6: Grace=forever: must be a time",
            FILE + ":7: RunDir=run: must be an absolute path",
            FILE + ":9: Wait is there twice: keep one",
            FILE + ":10: 'Wait' is no Key=Value (a value with blanks needs \"quotes\")",
            FILE + ":11: more than one Key=Value: write one in a line",
            FILE + ":12: \"gpu: the quote is never closed",
            FILE + ":13: \"x: a blank is missing after the closing quote",
            FILE + ":14: DeadlockRule=ignore: must be avoid or detect",
            FILE + ":15: FrameworkEnvironment=on: must be yes or no",
            FILE + ":16: a NUL byte: this is no text file"),
        problems(
            "Polcy=fifo",
            "Zzz=1",
            "Policy=lifo",
            "HookTimeout=0",
            "OvertakeLimit=1000001",
            "Grace=forever",
            "RunDir=run",
            "Wait=1s",
            "wait=2s",
            "Wait",
            "MaxMem=1G DefaultMem=1G",
            "RegionGroup=\"gpu",
            "RegionGroup=\"gpu\"x",
            "DeadlockRule=ignore",
            "FrameworkEnvironment=on",
            "MaxMem=\0"));
  }

  /** Else a configuration that was checked drains the node. */
  @Test
  void whatTheHooksRefuseIsRefused() {
    String group = "g".repeat(64);
    assertEquals(
        List.of(
            FILE + ":1: MaxMem=0: must be a size or a percentage above 0",
            FILE + ":2: PreloadLibrary=/a:b: must be an absolute path without colons or blanks",
            FILE
                + ":3: HighPriorityUsers=a b: must be user names or uids with commas and no blanks,"
                + " below 1024 characters",
            FILE + ":4: RegionGroup=" + group + ": must be a group name below 64 characters",
            FILE + ":5: MaxMem is there twice: keep one",
            FILE + ": DefaultPriority (50) is above MaxPriority (10): lower the first"),
        problems(
            "MaxMem=0",
            "PreloadLibrary=/a:b",
            "HighPriorityUsers=\"a b\"",
            "RegionGroup=" + group,
            "MaxMem=80%",
            "MaxPriority=low"));
    assertEquals(1, problems("DefaultMem=learned,0%").size());
  }

  @Test
  void theAgentsValuesAreChecked() {
    assertEquals(
        List.of(
            FILE + ":1: OverrunAction=kill: must be leave, warn or end",
            FILE + ":2: OverrunEvery=99ms: must be a time of 100 ms to 1 h",
            FILE + ":3: OverrunGrace=forever: must be a time of at most 1 h",
            FILE + ":4: CheckEvery=0: must be a time of 1 s to 1 h",
            FILE + ":5: LeftJobGrace=999ms: must be a time of at least 1 s, or forever",
            FILE + ":6: LogLevel=verbose: must be error, warning, info or debug",
            FILE + ":7: unknown key 'OverunAction': did you mean OverrunAction?",
            FILE + ":8: DriverLimits=1: must be yes or no",
            FILE + ":9: LearnContext=: must be yes or no",
            FILE + ":10: ContextFile=contexts: must be an absolute path",
            FILE + ":11: HistoryFile=h.db: must be an absolute path",
            FILE + ":12: HistoryKeep=59m: must be a time of at least 1 h, or forever",
            FILE + ":13: HistoryMax=1000K: must be a size of at least 1M",
            FILE + ":14: SampleEvery=500ms: must be a time of 1 s to 1 h",
            FILE + ":15: PrivateData=usage: must be jobs or none",
            FILE + ":16: unknown key 'HistoryKep': did you mean HistoryKeep?"),
        problems(
            "OverrunAction=kill",
            "OverrunEvery=99ms",
            "OverrunGrace=forever",
            "CheckEvery=0",
            "LeftJobGrace=999ms",
            "LogLevel=verbose",
            "OverunAction=warn",
            "DriverLimits=1",
            "LearnContext=",
            "ContextFile=contexts",
            "HistoryFile=h.db",
            "HistoryKeep=59m",
            "HistoryMax=1000K",
            "SampleEvery=500ms",
            "PrivateData=usage",
            "HistoryKep=1d"));
  }

  @Test
  void theHistoryOfAnotherRunDirectoryIsInIt() {
    assertEquals(Path.of("/run/two/history.db"), parse("RunDir=/run/two").historyFile());
  }

  @Test
  void theDevicesFileIsBesideTheFile() {
    assertEquals(
        Path.of("/tmp/devices.conf"), Conf.parse(Path.of("/tmp/s.conf"), List.of()).devicesFile());
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
}
