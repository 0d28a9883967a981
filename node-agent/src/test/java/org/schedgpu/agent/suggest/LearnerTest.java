package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.jna.Refusals;

class LearnerTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private static PastRun run(String name, long askedMib, long usedMib) {
    return refused(name, askedMib, usedMib, 0);
  }

  /** A run that was refused one allocation. */
  private static PastRun refused(long askedMib, long usedMib, long refusedMib) {
    return refused("train", askedMib, usedMib, refusedMib);
  }

  private static PastRun refused(String name, long askedMib, long usedMib, long refusedMib) {
    return PastRun.of(
        1000,
        "alice",
        name,
        Map.of(0, new PastRun.Use(askedMib * MIB, usedMib * MIB)),
        refusedMib == 0 ? Refusals.NONE : new Refusals(1, refusedMib * MIB),
        DeviceSizes.NONE);
  }

  private static Suggestion of(PastRun... newestFirst) {
    Learner learner = new Learner();
    List.of(newestFirst).forEach(learner::add);
    List<Suggestion> found = learner.inOrder();
    assertEquals(1, found.size());
    return found.get(0);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 512", // 256 MiB to spare
    "256, 512",
    "257, 768",
    "2200, 2560",
    "2560, 2816",
    "2561, 3072", // from here on 10 % is the larger margin
    "10240, 11264",
    "10241, 11520",
  })
  void aBudgetHasSomethingToSpareAndIsRound(long usedMib, long budgetMib) {
    assertEquals(budgetMib * MIB, Suggestion.budgetFor(usedMib * MIB));
  }

  @Test
  void theLargestUseCountsAndTheMedianIsOfWhatWasAsked() {
    Suggestion s = of(run("train", 0, 900), run("train", 6144, 2200), run("train", 4096, 2000));

    assertEquals(3, s.runs());
    assertEquals(2200 * MIB, s.usedBytes());
    assertEquals(2000 * MIB, s.medianBytes());
    assertEquals(4096 * MIB, s.askedBytes());
    assertEquals("--schedgpu-mem=2560M", s.option());
    assertFalse(s.atLeast());
  }

  @Test
  void onlyTheLastTwentyRunsCount() {
    Learner learner = new Learner();
    for (int i = 0; i < Learner.RUNS; i++) {
      learner.add(run("train", 0, 1000 + i));
    }
    learner.add(run("train", 0, 9000));

    Suggestion s = learner.inOrder().get(0);
    assertEquals(Learner.RUNS, s.runs());
    assertEquals((1000 + Learner.RUNS - 1) * MIB, s.usedBytes());
  }

  @Test
  void jobsAreReportedApartByUserAndName() {
    Learner learner = new Learner();
    learner.add(run("train", 0, 1000));
    learner.add(
        PastRun.of(
            1001,
            "bob",
            "train",
            Map.of(0, new PastRun.Use(0, GIB)),
            Refusals.NONE,
            DeviceSizes.NONE));
    learner.add(run("eval", 0, 3000));

    assertEquals(
        List.of("alice eval", "alice train", "bob train"),
        learner.byUserAndName().stream().map(s -> s.user() + " " + s.name()).toList());
    assertEquals(
        List.of(1000, 1001, 1000), learner.inOrder().stream().map(Suggestion::uid).toList());
  }

  @Test
  void runsThatSayNothingAreLeftOut() {
    Learner learner = new Learner();
    learner.add(run("", 0, 1000));
    learner.add(run("gate", 4096, 0));

    assertEquals(List.of(), learner.inOrder());
  }

  @Test
  void namesAreBounded() {
    Learner learner = new Learner();
    for (int i = 0; i < Learner.NAMES + 10; i++) {
      learner.add(run("job" + i, 0, 100));
    }
    learner.add(run("job0", 0, 200)); // known already

    List<Suggestion> found = learner.inOrder();
    assertEquals(Learner.NAMES, found.size());
    assertEquals(2, found.get(0).runs());
    assertEquals("job" + (Learner.NAMES - 1), found.get(Learner.NAMES - 1).name());
  }

  @ParameterizedTest
  @CsvSource({
    "2000, 2000, true", // all of it
    "2000, 1900, true", // the rest was too small for the refused request
    "2000, 1899, false",
    "2000, 2001, false", // it waited for more, and got it
    "0, 2000, false",
  })
  void whoCameToTheEndOfHisBudgetNeedsAtLeastThat(long askedMib, long usedMib, boolean atLeast) {
    assertEquals(atLeast, of(run("train", askedMib, usedMib)).atLeast());
  }

  @Test
  void aLaterRunWithEnoughSettlesIt() {
    assertTrue(of(run("train", 9000, 1500), run("train", 2000, 2000)).atLeast());
    assertFalse(of(run("train", 9000, 2500), run("train", 2000, 2000)).atLeast());
    assertFalse(of(run("train", 9000, 2000), run("train", 2000, 2000)).atLeast());
  }

  /** In addition to what it had in use: the peak is only what it could get. */
  @Test
  void whatARunWasRefusedIsNeededToo() {
    Suggestion s = of(refused(6144, 4000, 3000), refused(6144, 3900, 1000));

    assertEquals(4000 * MIB, s.usedBytes());
    assertEquals(new Refusals(2, 3000 * MIB), s.refusals());
    assertTrue(s.atLeast());
    assertEquals(Suggestion.budgetFor(7000 * MIB), s.suggestedBytes());
  }

  /** The very first allocation was too large. */
  @Test
  void whoWasRefusedAndUsedNothingSaysSomething() {
    assertEquals(Suggestion.budgetFor(3000 * MIB), of(refused(2048, 0, 3000)).suggestedBytes());
  }

  @Test
  void aRunThatUsedAsMuchAndHadEnoughSettlesWhatAnotherWasRefused() {
    Suggestion s = of(run("train", 9000, 5000), refused(6144, 4000, 3000));

    assertFalse(s.atLeast());
    assertEquals(Suggestion.budgetFor(5000 * MIB), s.suggestedBytes());
    assertTrue(of(run("train", 9000, 3999), refused(6144, 4000, 3000)).atLeast());
  }

  @Test
  void noMoreIsSuggestedForARefusalThanTheDeviceCanGive() {
    PastRun run =
        PastRun.of(
            1000,
            "alice",
            "train",
            Map.of(0, new PastRun.Use(4 * GIB, 3 * GIB)),
            new Refusals(2, 16 * GIB),
            new DeviceSizes(Map.of(), Map.of(0, 15 * GIB)));

    assertEquals(15 * GIB, run.neededBytes());
  }

  @Test
  void noMoreIsSuggestedThanTheDeviceCanGive() {
    PastRun run =
        PastRun.of(
            1000,
            "alice",
            "train",
            Map.of(0, new PastRun.Use(500 * MIB, 400 * MIB)),
            Refusals.NONE,
            new DeviceSizes(Map.of(), Map.of(0, 688 * MIB + 1)));

    assertEquals("--schedgpu-mem=688M", of(run).option());
  }

  @Test
  void theDeviceOfWhichMostWasUsedCounts() {
    PastRun run =
        PastRun.of(
            1000,
            "alice",
            "train",
            Map.of(0, new PastRun.Use(4 * GIB, 3 * GIB), 1, new PastRun.Use(4 * GIB, 2 * GIB)),
            Refusals.NONE,
            new DeviceSizes(Map.of(0, 512 * MIB), Map.of()));

    assertEquals(3 * GIB, run.usedBytes());
    assertEquals(4 * GIB, run.askedBytes());
    assertEquals(Map.of(0, 3 * GIB, 1, 2 * GIB), of(run).peaks());
  }

  @Test
  void wholeGibibytesAreTypedAsSuch() {
    assertEquals("3G", Suggestion.typed(3 * GIB));
    assertEquals("2560M", Suggestion.typed(2560 * MIB));
  }
}
