package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Facts on which Java and C must agree. */
class LibraryAgreementTest {
  /** {@code mvn test -Dschedgpu.regenerate=true} writes the golden file again. */
  private static final String REGENERATE = "schedgpu.regenerate";

  private static final Path GOLDEN = Path.of("src/test/resources/region-layout.txt");

  @BeforeAll
  static void library() {
    RealLibrary.require();
    CLibrary.load();
  }

  @Test
  void theErrorCodesAreThoseOfC() {
    for (ErrorCode code : ErrorCode.values()) {
      assertEquals(code.name(), CApi.schedgpu_error_name(code.number()));
      assertFalse(CApi.schedgpu_strerror(code.number()).isBlank(), code::name);
    }
  }

  @Test
  void cHasNoErrorCodeThatJavaLacks() {
    int next = -ErrorCode.values().length;
    assertThrows(IllegalStateException.class, () -> ErrorCode.of(next));
    assertEquals(CApi.schedgpu_error_name(-1000), CApi.schedgpu_error_name(next));
    assertEquals(CApi.schedgpu_strerror(-1000), CApi.schedgpu_strerror(next));
  }

  @Test
  void thePoliciesAreThoseOfC() {
    for (Policy policy : Policy.values()) {
      assertEquals(policy.text(), CApi.schedgpu_policy_name(policy.number()));
      assertEquals(policy.number(), CApi.schedgpu_policy_of_name(policy.text()));
    }
    assertEquals(null, CApi.schedgpu_policy_name(Policy.values().length));
  }

  @Test
  void theLanePoliciesAreThoseOfC() {
    for (LanePolicy policy : LanePolicy.values()) {
      assertEquals(policy.text(), CApi.schedgpu_lane_policy_name(policy.number()));
    }
    assertEquals("none", CApi.schedgpu_lane_policy_name(0));
    assertEquals(null, CApi.schedgpu_lane_policy_name(1 + LanePolicy.values().length));
  }

  /**
   * A change here needs a new SG_LAYOUT_VERSION, so that no process uses a region of another
   * version.
   */
  @Test
  void theLayoutHasNotChangedUnnoticed() throws IOException {
    List<String> lines = RegionLayout.ofLibrary().lines();
    if (Boolean.getBoolean(REGENERATE)) {
      Files.write(GOLDEN, lines);
    }
    assertEquals(
        Files.readAllLines(GOLDEN),
        lines,
        "the layout differs from "
            + GOLDEN
            + ": raise SG_LAYOUT_VERSION and run the tests with -Dschedgpu.regenerate=true");
  }

  @Test
  void readsSizesTimesAndPriorities() {
    assertEquals(OptionalLong.of(6L << 30), Units.bytes("6G"));
    assertEquals(OptionalLong.of(512L << 20), Units.bytes("512"));
    assertEquals(OptionalLong.of(400), Units.bytes("40%", 1000));
    assertEquals(OptionalLong.empty(), Units.bytes("6 apples"));
    assertEquals(OptionalLong.of(90_000_000_000L), Units.timeNs("1:30"));
    assertEquals(OptionalLong.of(JobSpec.FOREVER), Units.timeNs("forever"));
    assertEquals(OptionalLong.empty(), Units.timeNs("soon"));
    assertEquals(OptionalInt.of(90), Units.priority("high"));
    assertEquals(OptionalInt.empty(), Units.priority("101"));
  }

  @Test
  void knowsAccounts() {
    assertEquals(Optional.of("root"), Posix.userName(0));
    assertEquals(OptionalInt.of(0), Posix.groupId("root"));
    assertEquals(Optional.empty(), Posix.userName(0x7ffffff0));
    assertEquals(OptionalInt.empty(), Posix.groupId("no such group"));
  }
}
