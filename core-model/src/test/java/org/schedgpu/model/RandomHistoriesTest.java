package org.schedgpu.model;

import net.jqwik.api.AfterFailureMode;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterProperty;

/** The C core does what the rules say, in whatever order things happen. */
class RandomHistoriesTest {
  private static final int HISTORIES = 20_000;

  private static final Coverage COVERAGE = new Coverage();
  private final long startNs = System.nanoTime();

  @Provide
  Arbitrary<History> histories() {
    return Histories.all();
  }

  @Property(
      tries = HISTORIES,
      generation = GenerationMode.RANDOMIZED,
      edgeCases = EdgeCasesMode.NONE,
      shrinking = ShrinkingMode.OFF,
      afterFailure = AfterFailureMode.RANDOM_SEED)
  @AddLifecycleHook(RunParameters.class)
  void coreDoesWhatTheRulesSay(@ForAll("histories") History history) {
    history.run(COVERAGE);
  }

  @AfterProperty
  void tell() {
    System.out.printf(
        "core-model: %s; %d ms%n", COVERAGE, (System.nanoTime() - startNs) / 1_000_000);
  }
}
