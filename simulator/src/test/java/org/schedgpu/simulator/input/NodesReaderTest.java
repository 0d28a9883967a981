package org.schedgpu.simulator.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.problem.SimulatorException;

class NodesReaderTest {
  private static final String GOOD =
      "NodeName=g1 Arch=x86_64 CPUTot=64 Gres=gpu:a100:4(S:0-1) OS=Linux 6 RealMemory=1000";

  private static Nodes read(String text, String... sizes) throws IOException {
    return NodesReader.read(
        new BufferedReader(new StringReader(text)), "nodes", new GpuSizes(List.of(sizes)));
  }

  @Test
  void aLineIsANodeAndThoseWithoutGpusArePassedOver() throws IOException {
    String other = "NodeName=c1 CPUTot=64 Gres=(null) RealMemory=1000\n";
    assertEquals(
        List.of(new NodeSpec("g1", 64, 1000L << 20, "a100", 4, 80L << 30)),
        read(other + GOOD + "\n", "a100=80G").nodes());
  }

  @Test
  void gpusMayHaveNoType() throws IOException {
    assertEquals(
        new NodeSpec("g1", 64, 1000L << 20, "", 2, 16L << 30),
        read(GOOD.replace("gpu:a100:4(S:0-1)", "gpu:2,shard:8"), "16G").nodes().get(0));
  }

  @ParameterizedTest
  @CsvSource({
    "gpu:2080ti:4, 2080ti, 4",
    "gpu:3090:8(S:0-1), 3090, 8",
    "gpu:A100:4, a100, 4",
    "gpu:Tesla-V100:2(S:0), tesla-v100, 2",
    "gpu:1g.5gb:14(S:0), 1g.5gb, 14",
    "gpu:8, '', 8",
    "gpu, '', 1",
    "gpu:tesla, tesla, 1",
    "'nic:2,gpu:a100:2(S:0,2),gpu:a100:2(S:1),shard:a100:8', a100, 4",
    "'gpu:a100:4(IDX:0,1)', a100, 4",
  })
  void anyTypeOfSlurmIsReadAndComparedInSmallLetters(String gres, String type, int gpus)
      throws IOException {
    NodeSpec node = read(GOOD.replace("gpu:a100:4(S:0-1)", gres), "16G").nodes().get(0);
    assertEquals(type, node.gpuType());
    assertEquals(gpus, node.gpus());
    assertEquals(1 << 30, read(GOOD, "A100=1G").nodes().get(0).gpuBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "'gpu:a100:2(S:0),gpu:2080ti:4(S:1)', has GPUs of several types",
    "'gpu:a100:2,gpu:2', has GPUs of several types",
    "gpu:a100:17, has more than 16 GPUs",
    "gpu:a:b:2, has a Gres= that cannot be read",
    "gpu:a100:0, has no GPU",
    "(null), has no GPU",
  })
  void nodesThatCannotBePlayedAreCounted(String gres, String why) throws IOException {
    Nodes nodes =
        read(
            "# all\n\n" + GOOD + "\n" + GOOD.replace("g1", "g2").replace("gpu:a100:4(S:0-1)", gres),
            "a100=80G,2080ti=11G".split(","));
    assertEquals(1, nodes.nodes().size());
    assertEquals(2, nodes.read());
    assertEquals(Map.of(why, new LeftOut.Reason(1, List.of("g2"))), nodes.leftOut().reasons());
  }

  /** Slurm wakes a POWERED_DOWN node for a job. */
  @ParameterizedTest
  @CsvSource({
    "IDLE, ''",
    "MIXED+PLANNED, ''",
    "IDLE+CLOUD+POWERED_DOWN, ''",
    "DOWN+DRAIN, g1 (DOWN+DRAIN)",
    "IDLE+DRAIN, g1 (IDLE+DRAIN)",
    "IDLE+DRAIN+INVALID_REG, g1 (IDLE+DRAIN+INVALID_REG)",
    "DOWN*+NOT_RESPONDING, g1 (DOWN*+NOT_RESPONDING)",
    "FAIL, g1 (FAIL)",
  })
  void nodesThatStartNoJobsAreNamed(String state, String named) throws IOException {
    assertEquals(named, String.join(",", read(GOOD + " State=" + state, "16G").down()));
  }

  @Test
  void aFutureNodeIsNotThere() throws IOException {
    Nodes nodes = read(GOOD + "\n" + GOOD.replace("g1", "g2") + " State=FUTURE", "16G");
    assertEquals("[is not there yet (State=FUTURE)]", nodes.leftOut().reasons().keySet() + "");
  }

  @Test
  void theReleaseIsTheNewestOne() throws IOException {
    assertEquals("", read(GOOD, "16G").release());
    assertEquals(
        "25.05.8",
        read(GOOD + " Version=24.11.5\n" + GOOD + " Version=25.05.8\n" + GOOD, "16G").release());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "g1; g[1-9]; nodes line 1: g[1-9] is several nodes",
        "CPUTot=64; CPUTot=x; nodes line 1: CPUTot=x is no number",
        "RealMemory; Memory; nodes line 1: there is no RealMemory=",
        ":4(; :17(; nodes: none of 1 nodes can be played (1: has more than 16 GPUs)",
        "Gres=gpu; Gres=shard; nodes: none of 1 nodes can be played (1: has no GPU)",
        "a100; h100; the memory of a GPU of type h100 is not known",
      })
  void whatCannotBePlayedIsAnError(String from, String to, String why) {
    SimulatorException problem =
        assertThrows(SimulatorException.class, () -> read(GOOD.replace(from, to), "a100=80G"));
    assertEquals("schedgpu: simulate: " + why, problem.getMessage().replaceFirst(": [^:]*$", ""));
  }
}
