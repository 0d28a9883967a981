package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** The steps by hand drain nodes on which indexes would get other devices, as rollout does. */
class MovedDevicesTest {
  private static final String BOTH = "--rule=nodes=gpu1,per-gpu=2,order=";

  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void twoPlannedNodes() {
    site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu[1-2] CPUs=16 Gres=gpu:t4:2\n")
            .write("gres.conf", "")
            .facts("gpu1", 0, 1)
            .facts("gpu2", 0, 1);
    site.apply(BOTH + "spread", "--per-gpu=2");
  }

  private String drained(String... arguments) {
    List<String> commands = new ArrayList<>();
    for (JsonNode step : site.json(arguments).get("steps")) {
      step.get("commands").forEach(command -> commands.add(command.asText()));
    }
    return commands.get(0).replaceAll(" state=drain.*", "");
  }

  @Test
  void anotherOrderDrainsThoughTheCountStays() {
    assertEquals("scontrol update nodename=gpu[1-2]", drained(BOTH + "pack", "--per-gpu=3"));
  }

  @Test
  void theSameOrderDoesNot() {
    assertEquals("scontrol update nodename=gpu2", drained(BOTH + "spread", "--per-gpu=3"));
  }
}
