package org.schedgpu.agent.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.device.DeviceProblems.Note;

class DeviceProblemsTest {
  @TempDir Path folder;

  private static Note note(int device, String text) {
    return new Note(Instant.ofEpochSecond(1_700_000_000L + device), device, text);
  }

  @Test
  void theyAreReadInTheirOrder() throws IOException {
    DeviceProblems notes = new DeviceProblems(folder);
    assertEquals(List.of(), notes.read());
    notes.add(note(1, "xid=79 uuid=GPU-1: fell off the bus"));
    notes.add(note(-1, "xid=13"));
    assertEquals(
        List.of(note(1, "xid=79 uuid=GPU-1: fell off the bus"), note(-1, "xid=13")),
        new DeviceProblems(folder).read());
  }

  @Test
  void theOldestGoes() throws IOException {
    DeviceProblems notes = new DeviceProblems(folder);
    for (int i = 0; i < 103; i++) {
      notes.add(note(i, "xid=13"));
    }
    assertEquals(100, notes.read().size());
    assertEquals(3, notes.read().get(0).device());
  }

  @Test
  void whatIsDamagedIsLeftOut() throws IOException {
    Files.writeString(folder.resolve("device-notes"), "x 1 text\n5\n7 y z\n1700000002 2 xid=48\n");
    assertEquals(List.of(note(2, "xid=48")), new DeviceProblems(folder).read());
  }
}
