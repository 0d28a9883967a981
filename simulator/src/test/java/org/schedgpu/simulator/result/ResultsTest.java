package org.schedgpu.simulator.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.job.Job;

class ResultsTest {
  private static final long S = 1_000_000_000L;
  private static final Scenario SHARED = Scenario.shares(2, Policy.FIFO);

  /** Two jobs each day, 100 s long. */
  private static List<Job> jobs(int days) {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 2 * days; i++) {
      jobs.add(new Job(i, (1 + i) * S, i / 2, 100 * S, 150 * S, 1, 1, 1, 1, List.of(), 1, 500, 0));
    }
    return jobs;
  }

  /** Each waits this number of seconds. */
  private static Outcome outcome(List<Job> jobs, Scenario scenario, int... waitS) {
    long[] start = new long[jobs.size()];
    long[] end = new long[jobs.size()];
    for (int i = 0; i < start.length; i++) {
      start[i] = jobs.get(i).submitNs() + waitS[i % waitS.length] * S;
      end[i] = start[i] + jobs.get(i).runNs();
    }
    return new Outcome(scenario, start, start, end, 7200 * S, 0);
  }

  @Test
  void aScenarioInNumbers() {
    List<Job> jobs = jobs(1);
    Outcome alone = outcome(jobs, Scenario.exclusive(), 100, 100);
    Outcome shared = outcome(jobs, SHARED, 0, 300);
    shared.startNs()[1] -= 100 * S;
    Summary summary = Summary.of(jobs, shared, alone, 1);
    assertEquals(150, summary.meanWaitS() + 50);
    assertEquals(250, summary.meanCompletionS());
    assertEquals(400, summary.p95CompletionS());
    assertEquals(2.5, summary.meanSlowdown());
    assertEquals(2, summary.gpuHours());
    assertEquals(50, summary.losePercent());
    assertEquals(200, summary.medianLossS());
    assertEquals(1, summary.overLimit());
    assertEquals(-25, summary.gain().percent());
    assertNull(summary.gain().lowPercent());
  }

  @Test
  void aJobThatNeverEndsIsCountedAndNotAveraged() {
    List<Job> jobs = jobs(1);
    Outcome shared = outcome(jobs, SHARED, 0, 0);
    shared.endNs()[1] = Outcome.NEVER;
    Summary summary = Summary.of(jobs, shared, outcome(jobs, Scenario.exclusive(), 100, 100), 1);
    assertEquals(1, summary.neverEnded());
    assertEquals(100, summary.meanCompletionS());
  }

  /**
   * If the gain is the same on each day, it is certain; few days are not enough for a statement.
   */
  @Test
  void theUncertaintyIsThatOfTheDays() {
    List<Job> jobs = jobs(8);
    Outcome alone = outcome(jobs, Scenario.exclusive(), 100);
    Gain sure = Gain.of(jobs, outcome(jobs, SHARED, 0), alone, 1);
    assertEquals(50, sure.percent());
    assertEquals(50, sure.lowPercent());
    assertEquals(50, sure.highPercent());
    Gain unsure =
        Gain.of(
            jobs,
            outcome(jobs, SHARED, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 900, 900),
            alone,
            1);
    assertTrue(unsure.lowPercent() < 0 && unsure.highPercent() == 50, unsure.toString());
    assertTrue(Gain.of(jobs(7), outcome(jobs(7), SHARED, 0), alone, 1).hasInterval());
    assertNull(Gain.of(jobs(6), outcome(jobs(6), SHARED, 0), alone, 1).lowPercent());
  }

  private static Summary summary(String name, Gain gain, double losePercent, long neverEnded) {
    return new Summary(name, 1, neverEnded, 0, 0, 0, 0, 0, 0, losePercent, 0, 0, gain);
  }

  private static String recommended(Summary... shared) {
    List<Summary> all = new ArrayList<>(List.of(summary("exclusive", null, 0, 0)));
    all.addAll(List.of(shared));
    return Recommendation.of(all).name();
  }

  @Test
  void ofWhatIsAsGoodAsTheBestTheOneWithTheFewestLosersIsRecommended() {
    Summary best = summary("best", new Gain(30, 9, 20.0, 40.0), 10, 0);
    Summary fewer = summary("fewer", new Gain(25, 9, 20.0, 30.0), 2, 0);
    Summary worse = summary("worse", new Gain(19, 9, 15.0, 22.0), 0, 0);
    Summary stuck = summary("stuck", new Gain(90, 9, 80.0, 95.0), 0, 1);
    assertEquals("fewer", recommended(best, fewer, worse, stuck));
    assertEquals("best", recommended(best, worse));
  }

  @Test
  void withoutACertainGainItIsOneJobPerGpu() {
    assertEquals("exclusive", recommended(summary("a", new Gain(30, 9, -1.0, 40.0), 0, 0)));
  }

  @Test
  void fewDaysRecommendNothing() {
    assertNull(recommended(summary("a", new Gain(30, 3, null, null), 0, 0)));
  }

  @Test
  void theNumberOfThreadsChangesNothing() {
    List<Job> jobs = jobs(40);
    Settings settings =
        new Settings(
            List.of(new NodeSpec("n", 8, 1 << 20, "", 1, 1 << 20)),
            0,
            64,
            NodeChoice.TIGHTEST,
            false);
    List<Scenario> scenarios =
        List.of(SHARED, Scenario.shares(3, Policy.MMU), Scenario.memory(100, 1, Policy.FIFO));
    assertEquals(
        new Sweep(jobs, settings, 5, 1).play(scenarios, done -> {}).toString(),
        new Sweep(jobs, settings, 5, 4).play(scenarios, done -> {}).toString());
  }
}
