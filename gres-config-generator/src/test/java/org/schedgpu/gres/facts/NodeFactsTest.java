package org.schedgpu.gres.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.gres.Fixtures.assertRefused;
import static org.schedgpu.gres.Fixtures.facts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.gres.common.GresException;

class NodeFactsTest {
  private static final String JSON =
      """
      {"nodeName": "gpu1", "cpus": 16, "devices": [{"index": 0, "uuid": "GPU-0",
       "file": "/dev/nvidia0", "totalBytes": 5032116224, "reservedBytes": 0,
       "contextBytes": 67108864, "name": "Tesla K20m"}]}
      """;

  private static String messageOf(String json) {
    return assertThrows(GresException.class, () -> NodeFacts.parse(json, "facts file x"))
        .getMessage();
  }

  @Test
  void documentedFormIsRead() {
    assertEquals(facts(16, 1), NodeFacts.parse(JSON, "here"));
  }

  @Test
  void writtenFactsAreReadBack() {
    assertEquals(facts(16, 3), NodeFacts.parse(facts(16, 3).toJson(), "here"));
    assertEquals(facts(null, 1), NodeFacts.parse(facts(null, 1).toJson(), "here"));
  }

  @Test
  void unknownCpusAreNotWritten() {
    assertFalse(facts(null, 1).toJson().contains("cpus"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"index", "uuid", "file", "totalBytes", "reservedBytes", "contextBytes", "name"})
  void missingKeyOfADeviceIsNamed(String key) {
    assertRefusedWith(
        JSON.replaceFirst("\"" + key + "\": [^,}]+,?", "").replaceFirst(",\\s*}", "}"),
        "'" + key + "' is missing: ");
  }

  @Test
  void missingKeyOfTheNodeIsNamed() {
    assertRefusedWith(JSON.replace("\"nodeName\": \"gpu1\",", ""), "'nodeName' is missing: ");
    assertRefusedWith("{\"nodeName\": \"gpu1\"}", "'devices' is missing: ");
  }

  @Test
  void whatIsNotUnderstoodIsNotGuessed() {
    assertRefusedWith(JSON.replace("\"cpus\"", "\"cpu\""), "Unrecognized field \"cpu\"");
    assertRefusedWith(JSON.replace("\"index\": 0", "\"index\": \"0\""), "Cannot coerce String");
    assertRefusedWith(JSON.replace("\"index\": 0", "\"index\": 0.5"), "Cannot coerce Floating");
    assertRefusedWith(JSON.replace("\"index\": 0", "\"index\": null"), "Cannot map 'null'");
    assertRefusedWith(JSON.replace("16,", "16, \"cpus\": 17,"), "Duplicate field 'cpus'");
    assertRefusedWith("null", "null is not an object");
    assertRefusedWith("", "No content to map");
  }

  private static void assertRefusedWith(String json, String part) {
    String message = messageOf(json);
    assertTrue(message.startsWith("schedgpu gres: facts file x, "), message);
    assertTrue(message.contains(part), message);
    assertEquals(1, message.lines().count(), message);
  }

  @Test
  void trailingTextIsRefused() {
    assertTrue(messageOf(JSON + "{}").startsWith("schedgpu gres: facts file x, line 4, "));
  }

  @Test
  void ourRuleIsReportedWithThePlace() {
    assertEquals(
        "schedgpu gres: facts file x, device file '/dev/nv idia0' has a blank: use a path without"
            + " blanks",
        messageOf(JSON.replace("nvidia0", "nv idia0")));
  }

  @Test
  void cpusAreInRange() {
    assertRefused(
        "schedgpu gres: node gpu1, cpus is 0: use a number from 1 to 65535", () -> facts(0, 1));
  }

  @Test
  void thereIsADevice() {
    assertRefused(
        "schedgpu gres: node gpu1, number of devices is 0: use a number from 1 to 16",
        () -> facts(4, 0));
  }

  @Test
  void fileIsRead(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("gpu1.json"), JSON);
    assertEquals(facts(16, 1), NodeFacts.read(file));
  }

  @Test
  void missingFileIsNamed(@TempDir Path folder) {
    Path file = folder.resolve("none.json");
    assertRefused(
        "schedgpu gres: facts file "
            + file
            + " does not exist: write it on the node with schedgpu gres facts",
        () -> NodeFacts.read(file));
  }
}
