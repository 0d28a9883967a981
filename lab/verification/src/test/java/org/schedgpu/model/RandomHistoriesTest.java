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

/** The C core follows docs/reference/rules.md for any order of events. */
class RandomHistoriesTest {
  /** About 350,000 transitions, with another seed in each run. */
  private static final int HISTORIES = 4_000;

  private final Coverage coverage = new Coverage();
  private final long startNs = System.nanoTime();

  @Provide
  Arbitrary<History> histories() {
    return Histories.all();
  }

  /** Histories shrink themselves, fewer steps first, because jqwik's own way is slow at that. */
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
        "verification: %s; %.1f s%n", coverage, (System.nanoTime() - startNs) / 1_000_000_000.0);
    coverage.check();
  }
}
