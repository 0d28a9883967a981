package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.Refusals;

class LearnedTableTest {
  private static final String HEAD =
      "schedgpu-learned 1\n# user, bytes of each device, name of the job; written by the agent\n";

  @TempDir private Path runDir;

  private static Suggestion suggestion(int uid, String name) {
    Learner learner = new Learner();
    learner.add(
        PastRun.of(
            uid,
            "u",
            name,
            Map.of(0, new PastRun.Use(0, 1L << 30)),
            Refusals.NONE,
            DeviceSizes.NONE));
    return learner.newestFirst().get(0);
  }

  private String read() throws IOException {
    return Files.readString(runDir.resolve("learned"));
  }

  @Test
  void aLineHasUserBytesAndName() throws IOException {
    new LearnedTable(runDir).write(List.of(suggestion(1000, "train it.sh"), suggestion(-2, "x")));

    assertEquals(HEAD + "1000 1342177280 train it.sh\n4294967294 1342177280 x\n", read());
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(runDir.resolve("learned"))));
  }

  /** A name of "a\n0 9999999999999 b" would be a line for root's job b. */
  @Test
  void aNameCannotForgeALine() {
    assertEquals(HEAD, LearnedTable.text(List.of(suggestion(1000, "a\n0 99999999999 b"))));
    assertEquals(HEAD, LearnedTable.text(List.of(suggestion(1000, "a\u001b[2J"))));
  }

  @Test
  void noMoreIsWrittenThanIsRead() {
    String name = "\u00e4".repeat(31);
    String text =
        LearnedTable.text(IntStream.range(0, 20_000).mapToObj(i -> suggestion(i, name)).toList());

    assertTrue(text.getBytes(StandardCharsets.UTF_8).length <= 1 << 20);
    assertTrue(text.contains("\n10000 "));
    assertTrue(text.endsWith("\n"));
  }

  @Test
  void itIsReplacedAsAWholeAndWhatAKilledAgentLeftIsNoHindrance() throws IOException {
    LearnedTable table = new LearnedTable(runDir);
    table.write(List.of(suggestion(1000, "a")));
    Object first = Files.readAttributes(runDir.resolve("learned"), "unix:ino").get("ino");
    Files.writeString(runDir.resolve("learned.new"), "half a li");
    table.write(List.of(suggestion(1000, "b")));

    assertEquals(HEAD + "1000 1342177280 b\n", read());
    assertFalse(Files.exists(runDir.resolve("learned.new")));
    Object second = Files.readAttributes(runDir.resolve("learned"), "unix:ino").get("ino");
    assertFalse(first.equals(second));
    table.write(List.of(suggestion(1000, "b")));
    assertEquals(second, Files.readAttributes(runDir.resolve("learned"), "unix:ino").get("ino"));
  }

  @Test
  void aFileThatWasRemovedIsWrittenAgain() throws IOException {
    LearnedTable table = new LearnedTable(runDir);
    table.write(List.of(suggestion(1000, "a")));
    Files.delete(runDir.resolve("learned"));
    table.write(List.of(suggestion(1000, "a")));

    assertTrue(read().contains("1000 1342177280 a\n"));
  }

  @Test
  void whatCannotBeWrittenIsNamed() {
    Path missing = runDir.resolve("missing");
    AgentException problem =
        assertThrows(AgentException.class, () -> new LearnedTable(missing).write(List.of()));

    assertTrue(problem.getMessage().startsWith(missing + "/learned: cannot be written"));
  }
}
