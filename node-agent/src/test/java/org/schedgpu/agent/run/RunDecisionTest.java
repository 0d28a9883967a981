package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RunOptions;

/** DefaultMem=learned for {@code schedgpu run}: the same cases as in libschedgpu/tests/conf. */
class RunDecisionTest {
  private static final long GIB = 1L << 30;
  private static final Path TRAIN = Path.of("/usr/bin/train");

  private final List<String> asked = new ArrayList<>();

  @BeforeEach
  void library() {
    RealLibrary.require();
  }

  private static Device device(int index, int totalGib) {
    return new Device(index, "GPU-" + index, "", totalGib * GIB, 0, GIB, 0, 0);
  }

  private static RunWish wish(String mem, Mode mode, int processes, Boolean waits, Path command) {
    return new RunWish(
        Optional.ofNullable(mem),
        Optional.ofNullable(mode).map(Mode::text),
        processes,
        Optional.empty(),
        Optional.empty(),
        Optional.ofNullable(waits).map(it -> it ? "wait" : "fail"),
        List.of(0, 1),
        command);
  }

  private static final RunWish SAYS_NOTHING = wish(null, null, 1, null, TRAIN);

  /** On a node with a device of 16 GiB and one of 4, for a job that needed {@code known}. */
  private RunDecision decision(RunWish wish, long known, String... conf) {
    return new RunDecision(
        wish,
        Conf.parse(Path.of("schedgpu.conf"), List.of(conf)),
        name -> {
          asked.add(name);
          return known == 0 ? OptionalLong.empty() : OptionalLong.of(known);
        });
  }

  private static JobSpec of(RunDecision decision) {
    return decision.of(List.of(device(0, 16), device(1, 4)));
  }

  @Test
  void whoSaysNothingGetsWhatEarlierRunsOfTheProgramNeeded() {
    RunDecision decision = decision(SAYS_NOTHING, 2 * GIB, "DefaultMem=learned,1G");

    JobSpec job = of(decision);

    assertEquals(List.of("train"), asked);
    assertEquals(Map.of(0, 2 * GIB, 1, 2 * GIB), job.budgetBytes());
    assertEquals(Mode.PEAK, job.mode());
    assertTrue(job.overflowWaits()); // what is too small must not end a job
    assertTrue(decision.isLearned());
  }

  @Test
  void whereLessMayBeHadItIsLess() {
    assertEquals(
        Map.of(0, 8 * GIB, 1, 2 * GIB),
        of(decision(SAYS_NOTHING, 9 * GIB, "DefaultMem=learned", "MaxMem=50%")).budgetBytes());
    RunWish two = wish(null, null, 2, null, TRAIN);
    assertEquals(
        Map.of(0, 9 * GIB, 1, 2 * GIB),
        of(decision(two, 9 * GIB, "DefaultMem=learned")).budgetBytes());
    RunWish four = wish(null, null, 4, null, TRAIN);
    RunDecision none = decision(four, 9 * GIB, "DefaultMem=learned");
    assertTrue(
        assertThrows(RunOptions.WrongOptionException.class, () -> of(none))
            .getMessage()
            .startsWith("DefaultMem=learned is more than device 1 can give a job"));
  }

  @Test
  void ofWhatIsNotKnownTheBudgetIsTheOneBehindTheComma() {
    RunDecision named = decision(SAYS_NOTHING, 0, "DefaultMem=learned,1G");
    JobSpec job = of(named);
    assertEquals(Map.of(0, GIB, 1, GIB), job.budgetBytes());
    assertFalse(job.overflowWaits());
    assertFalse(named.isLearned());

    JobSpec bare = of(decision(SAYS_NOTHING, 0, "DefaultMem=learned"));
    assertEquals(Map.of(0, 0L, 1, 0L), bare.budgetBytes());
    assertEquals(Mode.ONDEMAND, bare.mode());
  }

  @Test
  void aJobThatSaysOtherwiseGetsNoneOfIt() {
    String learned = "DefaultMem=learned,1G";
    List<RunDecision> others =
        List.of(
            decision(SAYS_NOTHING, 2 * GIB, "DefaultMem=1G"),
            decision(wish("3G", null, 1, null, TRAIN), 2 * GIB, learned),
            decision(wish(null, Mode.ONDEMAND, 1, null, TRAIN), 2 * GIB, learned),
            decision(wish(null, Mode.GATE, 1, null, TRAIN), 2 * GIB, learned),
            decision(wish(null, null, 1, false, TRAIN), 2 * GIB, learned),
            decision(wish(null, null, 1, null, Path.of("/")), 2 * GIB, learned));
    for (RunDecision other : others) {
      of(other);
      assertFalse(other.isLearned());
    }

    assertTrue(isLearned(wish(null, Mode.PEAK, 1, null, TRAIN)));
    assertTrue(isLearned(wish(null, null, 1, true, TRAIN)));
  }

  private boolean isLearned(RunWish wish) {
    RunDecision decision = decision(wish, 2 * GIB, "DefaultMem=learned");
    of(decision);
    return decision.isLearned();
  }
}
