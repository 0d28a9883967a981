package org.schedgpu.model;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterProperty;

/** The C core follows docs/reference/lanes.md for any order of events. */
class RandomLaneHistoriesTest {
  /** About 280,000 transitions. */
  private static final int HISTORIES = 3_000;

  private final Coverage coverage = new Coverage();
  private final long startNs = System.nanoTime();

  @Provide
  Arbitrary<History> histories() {
    return LaneHistories.all();
  }

  @Property(
      tries = HISTORIES,
      generation = GenerationMode.RANDOMIZED,
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF)
  @AddLifecycleHook(RunParameters.class)
  void coreDoesWhatTheRulesSay(@ForAll("histories") History history) {
    history.run(coverage);
  }

  @AfterProperty
  void tell() {
    System.out.printf(
        "verification: lanes: %s; %s; %.1f s%n",
        coverage, coverage.lanes, (System.nanoTime() - startNs) / 1_000_000_000.0);
    coverage.lanes.check();
  }
}
