package org.schedgpu.agent.container;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.JsonText;

/** Against the specification of CDI 0.3.0; an engine refuses a file with an unknown field. */
class CdiSpecificationTest {
  @TempDir private Path folder;
  private Path library;

  @BeforeEach
  void makeLibrary() throws IOException {
    Path libraries = folder.toRealPath().resolve("schedgpu/container");
    library = Files.createDirectories(libraries).resolve("libschedgpu-preload.so");
    Files.createFile(library);
  }

  private static JsonNode specification(Path library) throws IOException {
    String conf = "RunDir=/run/sg\nPreloadLibrary=" + library + "\n";
    Conf parsed = Conf.parse(Path.of("/etc/schedgpu/schedgpu.conf"), conf.getBytes(UTF_8));
    return new ObjectMapper().readTree(JsonText.of(CdiSpecification.of(parsed)));
  }

  private static List<String> fields(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    names.sort(null);
    return names;
  }

  @Test
  void itHasTheFieldsThatEnginesKnow() throws IOException {
    JsonNode all = specification(library);
    assertEquals(List.of("cdiVersion", "devices", "kind"), fields(all));
    assertEquals("0.3.0", all.get("cdiVersion").textValue());
    String vendorAndClass = "[A-Za-z][\\w.-]*[A-Za-z0-9]/[A-Za-z][\\w-]*[A-Za-z0-9]";
    assertTrue(all.get("kind").textValue().matches(vendorAndClass), all::toString);
    assertEquals(1, all.get("devices").size());
    JsonNode device = all.get("devices").get(0);
    assertEquals(List.of("containerEdits", "name"), fields(device));
    assertTrue(device.get("name").textValue().matches("[A-Za-z][\\w.:-]*"), all::toString);
    JsonNode edits = device.get("containerEdits");
    assertEquals(List.of("env", "mounts"), fields(edits));
    edits.get("env").forEach(entry -> assertTrue(entry.textValue().matches("\\w+=.+")));
    for (JsonNode mount : edits.get("mounts")) {
      assertEquals(List.of("containerPath", "hostPath", "options"), fields(mount));
      assertTrue(mount.get("options").isArray(), all::toString);
    }
  }

  @Test
  void theLibraryIsReadAndTheRunDirectoryWritten() throws IOException {
    JsonNode edits = specification(library).at("/devices/0/containerEdits");
    assertEquals("LD_PRELOAD=" + library, edits.at("/env/0").textValue());
    assertEquals("SCHEDGPU_RUN_DIR=/run/sg", edits.at("/env/1").textValue());
    assertEquals(library.getParent().toString(), edits.at("/mounts/0/hostPath").textValue());
    assertEquals("ro", edits.at("/mounts/0/options/0").textValue());
    assertEquals("/run/sg", edits.at("/mounts/1/containerPath").textValue());
    assertEquals("rw", edits.at("/mounts/1/options/0").textValue());
  }

  @Test
  void aLinkIsFollowed() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link.so"), library);
    assertEquals(specification(library), specification(link));
  }

  @Test
  void ofAFolderWithOtherFilesTheLibraryAloneIsShown() throws IOException {
    Path alone = Files.createFile(folder.toRealPath().resolve("alone.so"));
    assertEquals(
        alone.toString(),
        specification(alone).at("/devices/0/containerEdits/mounts/0/hostPath").textValue());
  }

  @Test
  void withoutALibraryThereIsNone() {
    Path missing = folder.resolve("missing.so");
    String told = assertThrows(AgentException.class, () -> specification(missing)).getMessage();
    assertTrue(told.startsWith(missing + ": no readable library"), told);
  }
}
