package org.schedgpu.simulator.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.problem.SimulatorException;

class NodesReaderTest {
  private static final String GOOD =
      "NodeName=g1 Arch=x86_64 CPUTot=64 Gres=gpu:a100:4(S:0-1) OS=Linux 6 RealMemory=1000";

  private static List<NodeSpec> read(String text, String... sizes) throws IOException {
    return NodesReader.read(
        new BufferedReader(new StringReader(text)), "nodes", new GpuSizes(List.of(sizes)));
  }

  @Test
  void aLineIsANodeAndThoseWithoutGpusArePassedOver() throws IOException {
    String other = "NodeName=c1 CPUTot=64 Gres=(null) RealMemory=1000\n";
    assertEquals(
        List.of(new NodeSpec("g1", 64, 1000L << 20, "a100", 4, 80L << 30)),
        read(other + GOOD + "\n", "a100=80G"));
  }

  @Test
  void gpusMayHaveNoType() throws IOException {
    assertEquals(
        new NodeSpec("g1", 64, 1000L << 20, "", 2, 16L << 30),
        read(GOOD.replace("gpu:a100:4(S:0-1)", "gpu:2,shard:8"), "16G").get(0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "g1; g[1-9]; nodes line 1: g[1-9] is several nodes",
        "CPUTot=64; CPUTot=x; nodes line 1: CPUTot=x is no number",
        "RealMemory; Memory; nodes line 1: there is no RealMemory=",
        ":4(; :17(; nodes line 1: g1 has 17 GPUs",
        ":4(S:0-1); :2,gpu:h100:2; nodes line 1: g1 has GPUs of several types",
        "Gres=gpu; Gres=shard; nodes: no node has a GPU",
        "a100; h100; the memory of a GPU of type h100 is not known",
      })
  void whatCannotBePlayedIsAnError(String from, String to, String why) {
    SimulatorException problem =
        assertThrows(SimulatorException.class, () -> read(GOOD.replace(from, to), "a100=80G"));
    assertEquals("schedgpu: simulate: " + why, problem.getMessage().replaceFirst(": [^:]*$", ""));
  }
}
