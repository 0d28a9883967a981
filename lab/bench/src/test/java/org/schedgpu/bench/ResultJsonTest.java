package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultJsonTest {
  @TempDir Path folder;

  private JsonNode written(String name) throws IOException {
    ResultJson.write(folder, Fixtures.findings(), Fixtures.MACHINE);
    return new ObjectMapper().readTree(folder.resolve(name).toFile());
  }

  @Test
  void resultIsAnArrayOfMeasurements() throws IOException {
    JsonNode handOff = written("result.json").get(2);
    List<String> fields = new ArrayList<>();
    handOff.fieldNames().forEachRemaining(fields::add);
    assertEquals(List.of("name", "unit", "p50", "p99", "limit", "ratio", "target", "met"), fields);
    assertEquals("hand-off", handOff.get("name").asText());
    assertEquals(22, handOff.get("p50").asDouble());
    assertEquals(20, handOff.get("limit").asDouble());
    assertEquals(1.1, handOff.get("ratio").asDouble());
    assertTrue(handOff.get("met").asBoolean());
  }

  @Test
  void whatHasNoTargetSaysNothingOfOne() throws IOException {
    JsonNode pass = written("result.json").get(3);
    assertEquals("queue-pass-fifo-1", pass.get("name").asText());
    assertFalse(pass.has("target"));
    assertFalse(pass.has("met"));
  }

  @Test
  void machineIsDescribedBeside() throws IOException {
    JsonNode machine = written("machine.json");
    assertEquals("Some CPU", machine.get("cpu").asText());
    assertEquals("emulated", machine.get("gpu").asText());
    assertEquals(0.25, machine.get("loadAverage").asDouble());
  }

  @Test
  void cpuInfoIsRead() {
    List<String> cpuInfo = List.of("processor\t: 0", "model name\t: A CPU", "flags\t\t: fpu sse");
    assertEquals("A CPU", Machine.cpu(cpuInfo));
    assertEquals(" fpu sse ", Machine.flags(cpuInfo));
    assertEquals(System.getProperty("os.arch"), Machine.cpu(List.of("Features : fp")));
  }
}
