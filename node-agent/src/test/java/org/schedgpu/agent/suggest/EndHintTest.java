package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Refusals;

/** The same cases as in spank-plugin-c/tests/end_hint_test.c. */
class EndHintTest {
  private static final long MIB = 1L << 20;

  private static Optional<String> hint(long askedMib, long usedMib, long waitedNs) {
    return hint(askedMib, usedMib, waitedNs, Refusals.NONE);
  }

  /** On a device that can give 15.75 GiB. */
  private static Optional<String> hint(
      long askedMib, long usedMib, long waitedNs, Refusals refusals) {
    return EndHint.of(
        "run:7",
        new EndHint.Use(0, askedMib * MIB, usedMib * MIB, waitedNs, refusals, 63 * 256 * MIB),
        "--mem ");
  }

  private static Optional<String> refused(long askedMib, long usedMib, int count, long refusedMib) {
    return hint(askedMib, usedMib, 0, new Refusals(count, refusedMib * MIB));
  }

  private static Optional<String> hint(long askedMib, long usedMib) {
    return hint(askedMib, usedMib, 0);
  }

  @Test
  void tooMuchIsToldWithWhatWouldDo() {
    assertEquals(
        Optional.of(
            "run:7 used at most 2.1 GiB of 6.0 GiB asked on device 0, waited 12 s;"
                + " --mem 2560M would do"),
        hint(6 * 1024, 2150, 12_000_000_001L));
    assertTrue(hint(8192, 2700).orElseThrow().endsWith("asked on device 0; --mem 3G would do"));
  }

  @Test
  void tooLittleIsToldWhereTheJobHadToWaitForMore() {
    assertTrue(
        hint(1024, 1500).orElseThrow().endsWith("--mem 1792M would spare it the wait for more"));
  }

  @Test
  void whatWasAboutRightIsNoNews() {
    assertEquals(Optional.empty(), hint(3000, 2000));
    assertTrue(hint(3001, 2000).isPresent());
    assertEquals(Optional.empty(), hint(2000, 2000));
    assertEquals(Optional.empty(), hint(300, 10));
  }

  /** Though what it used looks as if less would do: it could not get more. */
  @Test
  void whatWasRefusedIsToldWithWhatWouldDo() {
    assertEquals(
        Optional.of(
            "run:7 used at most 2.1 GiB of 6.0 GiB asked on device 0, waited 12 s, and 3"
                + " allocations were refused, the largest of 5.0 GiB; --mem 8G or more would do"),
        hint(6 * 1024, 2150, 12_000_000_001L, new Refusals(3, 5120 * MIB)));
    assertTrue(
        refused(2048, 2000, 1, 3072)
            .orElseThrow()
            .endsWith(
                "on device 0, and 1 allocation was refused, of 3.0 GiB; --mem 5632M or more would"
                    + " do"));
    assertTrue(refused(2048, 0, 1, 3072).orElseThrow().endsWith("; --mem 3584M or more would do"));
  }

  @Test
  void whatTheDeviceCannotGiveIsNotAdvised() {
    assertTrue(refused(8192, 8000, 1, 6661).orElseThrow().endsWith("would do"));
    assertTrue(
        refused(8192, 8000, 1, 6662)
            .orElseThrow()
            .endsWith("of 6.5 GiB; the device can give 15.8 GiB"));
    assertEquals(Optional.empty(), refused(0, 2000, 1, 1000));
  }

  @Test
  void withoutABudgetOrUseThereIsNothingToSay() {
    assertEquals(Optional.empty(), hint(0, 2000));
    assertEquals(Optional.empty(), hint(6000, 0));
  }
}
