package org.schedgpu.gres.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** scontrol's and squeue's output, as 22.05.8 printed it; newer shapes are from documentation. */
class RecordsTest {
  private static final String HEAD =
      "NodeName=lvp2 Arch=x86_64 CoresPerSocket=1  CPUAlloc=0 CPUEfctv=10 CPUTot=10 CPULoad=4.15"
          + " AvailableFeatures=(null) ActiveFeatures=(null) Gres=gpu:fake:6 GresDrain=N/A"
          + " GresUsed=gpu:fake:2(IDX:0-1) NodeAddr=127.0.0.1 NodeHostName=vm Port=29819"
          + " Version=22.05.8 OS=Linux 6.18 #1 SMP PREEMPT_DYNAMIC @0  RealMemory=4000"
          + " AllocMem=0 FreeMem=21524 Sockets=10 Boards=1 ";
  private static final String MIDDLE =
      " ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A Partitions=debug "
          + " BootTime=2026-11-22T02:21:12 CfgTRES=cpu=10,mem=4000M,billing=10 AllocTRES=cpu=2"
          + " ExtSensorsTemp=n/s";

  private static LiveNode node(String state, String tail) {
    return NodeRecords.parse(HEAD + "State=" + state + MIDDLE + tail + "\n").get(0);
  }

  @Test
  void aNodeOf2205() {
    assertEquals(
        new LiveNode("lvp2", Set.of("IDLE"), "gpu:fake:6", "gpu:fake:2(IDX:0-1)", "", 10),
        node("IDLE", ""));
  }

  @ParameterizedTest
  @CsvSource({
    "MIXED+DRAIN, MIXED DRAIN",
    "IDLE+DRAIN+INVALID_REG, IDLE DRAIN INVALID_REG",
    "DOWN*+DRAIN, DOWN DRAIN NOT_RESPONDING",
    "DOWN+NOT_RESPONDING, DOWN NOT_RESPONDING",
    "IDLE~, IDLE",
    "IDLE+CLOUD+POWERED_DOWN, IDLE CLOUD POWERED_DOWN"
  })
  void stateAndFlags(String printed, String states) {
    assertEquals(Set.of(states.split(" ")), node(printed, "").states());
  }

  @Test
  void invalIsKnownByAllItsNames() {
    for (String word : List.of("INVAL", "INVALID", "INVALID_REG")) {
      assertTrue(node("IDLE+INVALID_REG", "").is(word), word);
      assertTrue(new LiveNode("n", Set.of(word), "", "", "", 1).is("INVALID_REG"), word);
    }
    assertFalse(node("IDLE", "").is("INVAL"));
  }

  @Test
  void whatPeopleWroteIsNotTakenForFields() {
    LiveNode node =
        node(
            "IDLE+DRAIN",
            " Reason=two [root@2026-11-22T02:37:45]        lines State=IDLE Reason=x"
                + " Comment=c Gres=gpu:9\nNode State=DOWN Extra=hm");

    assertEquals("two", node.reason());
    assertEquals(Set.of("IDLE", "DRAIN"), node.states());
    assertEquals("gpu:fake:6", node.gres());
  }

  @Test
  void aReasonWithBracketsAndNobodyBehindIt() {
    assertEquals(
        "gpu[1] [x] bad", node("DOWN", " Reason=gpu[1] [x] bad [a@2026-11-22T02:37:45]").reason());
    assertEquals("Not responding", node("DOWN", " Reason=Not responding").reason());
  }

  @Test
  void noNodesAndNoGres() {
    assertEquals(List.of(), NodeRecords.parse("No nodes in the system\n"));
    LiveNode bare = NodeRecords.parse("NodeName=a CPUTot=4 Gres=(null) State=IDLE\n").get(0);
    assertEquals("", bare.gres());
    assertEquals("", bare.gresUsed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"something else", "NodeName=a CPUTot=1 Gres=gpu:1", "NodeName=a State=?"})
  void whatIsNotUnderstoodIsNotGuessed(String output) {
    assertThrows(LiveException.class, () -> NodeRecords.parse(output));
  }

  /** As squeue of 22.05.8 prints it; gres/gpu:2 is newer. */
  @Test
  void jobs() {
    List<LiveJob> jobs =
        JobRecords.parse(
            """
            4|root|PENDING||N/A|N/A|N/A|N/A|
            3|alice|RUNNING|lvp[1-2,4]|N/A|N/A|N/A|gres:gpu:1|
            2|root|SUSPENDED|lvp1|gres/gpu:2|gres/gpu:k20m:1|N/A|N/A|
            """);

    assertEquals(new LiveJob(4, "root", "PENDING", Set.of(), ""), jobs.get(0));
    assertEquals(
        new LiveJob(3, "alice", "RUNNING", Set.of("lvp1", "lvp2", "lvp4"), "gres:gpu:1"),
        jobs.get(1));
    assertEquals("gres/gpu:2,gres/gpu:k20m:1", jobs.get(2).gres());
    assertFalse(jobs.get(0).usesGpu());
    assertFalse(jobs.get(0).isOnNode());
    assertTrue(jobs.get(1).usesGpu());
    assertTrue(jobs.get(2).isOnNode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"4_[1-3]|root|PENDING||N/A|N/A|N/A|N/A|", "4|root|PENDING|", "hello"})
  void aJobThatIsNotUnderstoodIsNotGuessed(String line) {
    assertThrows(LiveException.class, () -> JobRecords.parse(line));
  }

  @ParameterizedTest
  @CsvSource({
    "gres:gpu:2, true", "gres/gpu:k20m:1, true", "gpu, true", "gres:gpu, true",
    "gres:nic:1, false", "'gres:nic:1,gres:gpu:1', true", "gres:gpux:1, false", "'', false",
    "gres:shard:6, true", "gres/shard:6, true", "gres:shards:6, false"
  })
  void whichJobsUseGpus(String gres, boolean uses) {
    assertEquals(uses, new LiveJob(1, "a", "RUNNING", Set.of("n"), gres).usesGpu());
  }

  @Test
  void settingsOfSlurmctld() {
    var config =
        ConfigRecord.parse(
            "Configuration data as of 2026\nGresTypes               = gpu\n"
                + "SLURM_CONF              = /etc/slurm/slurm.conf\n\nCgroup Support Configuration:\n");

    assertEquals("gpu", config.get("grestypes"));
    assertEquals("/etc/slurm/slurm.conf", config.get("SLURM_CONF"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ALL", "all", "n[1-2]", "n1,n2", "", "n1 state=down", "-n"})
  void onlyOneNodeIsNamed(String node) {
    assertThrows(LiveException.class, () -> NodeNames.one(node));
  }
}
