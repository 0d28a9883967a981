package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The same cases as in spank-plugin-c/tests/end_hint_test.c. */
class EndHintTest {
  private static final long MIB = 1L << 20;

  private static Optional<String> hint(long askedMib, long usedMib, long waitedNs) {
    return EndHint.of("run:7", 0, askedMib * MIB, usedMib * MIB, waitedNs, "--mem ");
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

  @Test
  void withoutABudgetOrUseThereIsNothingToSay() {
    assertEquals(Optional.empty(), hint(0, 2000));
    assertEquals(Optional.empty(), hint(6000, 0));
  }
}
