package org.schedgpu.agent.user;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;

final class ShareOwnersTest {
  private static final int ALICE = 1000;
  private static final int ROOT = 0;

  @TempDir Path folder;

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private ShareOwners owners(String text) throws IOException {
    return new ShareOwners(
        new SubordinateUsers(
            Files.writeString(folder.resolve("subuid"), text),
            name -> name.equals("alice") ? OptionalInt.of(ALICE) : OptionalInt.empty()));
  }

  @Test
  void aSubordinateIdIsItsOwners() throws IOException {
    ShareOwners owners = owners("alice:100000:10\nroot-of-none:200000:10\n0:300000:10\n");
    assertEquals(ALICE, owners.of(100000));
    assertEquals(ALICE, owners.of(100009));
    assertEquals(100010, owners.of(100010));
    assertEquals(ALICE, owners.of(ALICE));
    assertEquals(200000, owners.of(200009));
  }

  /** Root has no limits, so its subordinate ids have one share together. */
  @Test
  void subordinateIdsOfRootAreNotRoots() throws IOException {
    ShareOwners owners = owners("0:300000:10\n");
    assertEquals(300000, owners.of(300009));
    assertEquals(ROOT, owners.of(ROOT));
  }

  /** Its ids are unsigned, as Linux has them. */
  @Test
  void theLastIdIsOne() throws IOException {
    assertEquals(ALICE, owners("alice:4294967294:2\n").of(-1));
  }

  @Test
  void withoutRangesEverybodyIsHimself() throws IOException {
    assertEquals(7, owners("").of(7));
  }
}
