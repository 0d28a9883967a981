package org.schedgpu.agent.user;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.user.SubordinateUsers.Range;

final class SubordinateUsersTest {
  private static final int ALICE = 1000;

  @TempDir Path folder;
  private Path file;
  private SubordinateUsers users;

  @BeforeEach
  void look() {
    file = folder.resolve("subuid");
    users =
        new SubordinateUsers(
            file, name -> name.equals("alice") ? OptionalInt.of(ALICE) : OptionalInt.empty());
  }

  private List<Range> ranges(String text) throws IOException {
    Files.writeString(file, text);
    return users.changed().orElseThrow();
  }

  @Test
  void anOwnerIsANameOrANumber() throws IOException {
    assertEquals(
        List.of(new Range(100000, 65536, ALICE), new Range(165536, 65536, 1001)),
        ranges("alice:100000:65536\n1001:165536:65536\n"));
  }

  /** Then they are one separate user. */
  @Test
  void anOwnerWhomNobodyKnowsIsTheFirstOfHisIds() throws IOException {
    assertEquals(List.of(new Range(100000, 65536, 100000)), ranges("nobody-here:100000:65536\n"));
  }

  @Test
  void linesThatAreNoneArePassedOver() throws IOException {
    assertEquals(
        List.of(new Range(5, 1, ALICE)),
        ranges(
            "\n# text\nalice:100000\nalice:x:1\nalice:1:-1\nalice:0:10\nalice:4294967295:2\n"
                + "alice:5:1\nalice:99999999999999999999:1\n"));
  }

  @Test
  void theLastIdThereIsIsOne() throws IOException {
    assertEquals(List.of(new Range(-1, 1, ALICE)), ranges("alice:4294967295:1\n"));
  }

  @Test
  void ofTooManyTheFirstCount() throws IOException {
    assertEquals(
        SubordinateUsers.MOST, ranges("alice:100000:1\n".repeat(SubordinateUsers.MOST + 1)).size());
  }

  @Test
  void aFileIsReadWhenItHasChanged() throws IOException {
    assertEquals(Optional.of(List.of()), users.changed());
    assertEquals(Optional.empty(), users.changed());
    assertEquals(1, ranges("alice:100000:1\n").size());
    assertEquals(Optional.empty(), users.changed());
    Files.writeString(file, "alice:100000:1\nalice:200000:1\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1));
    assertEquals(2, users.changed().orElseThrow().size());
    Files.delete(file);
    assertEquals(Optional.of(List.of()), users.changed());
  }
}
