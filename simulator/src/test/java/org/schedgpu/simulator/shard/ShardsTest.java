package org.schedgpu.simulator.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.result.Sweep;

/** A sweep in parts is the sweep. */
class ShardsTest {
  private static final long S = 1_000_000_000L;
  private static final long GIB = 1L << 30;
  private static final List<Scenario> SCENARIOS =
      List.of(
          Scenario.shares(2, Policy.FIFO),
          Scenario.shares(3, Policy.MMU),
          Scenario.memory(150, 1, Policy.FIFO));

  @TempDir Path folder;

  private static Settings settings() {
    return new Settings(
        List.of(new NodeSpec("n", 64, 64 * GIB, "a", 2, 10 * GIB)),
        GIB / 2,
        64,
        NodeChoice.TIGHTEST,
        false);
  }

  /** Ten days, so that there are intervals, with fractions that a text could lose. */
  private static List<Job> jobs(long seed) {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      long gib = 1 + (i * 7L + seed) % 6;
      jobs.add(
          new Job(
              i,
              i * 14_400L * S,
              i / 6,
              (97L + i) * 97 * S,
              (97L + i) * 97 * S,
              1,
              1,
              1,
              GIB,
              List.of(),
              gib * GIB,
              100 + 13 * i,
              0));
    }
    return jobs;
  }

  private static Sweep sweep(long seed) {
    return new Sweep(jobs(seed), settings(), 1, 1);
  }

  private Shards shards(long seed) {
    return new Shards(
        folder, Shards.fingerprint(jobs(seed), settings(), SCENARIOS, 1), SCENARIOS.size());
  }

  private void play(int... tasks) {
    for (int task : tasks) {
      shards(1).play(task, SCENARIOS.get(task - 1), sweep(1));
    }
  }

  @Test
  void theMergedOnesAreWhatOneRunGives() {
    play(3, 1, 2, 1);
    assertEquals(List.of(), shards(1).missing());
    assertEquals(sweep(1).play(SCENARIOS, done -> {}), shards(1).merged());
    assertEquals(shards(1).merged(), shards(1).merged());
  }

  @Test
  void whatWasNotWrittenOrIsDamagedIsMissing() throws IOException {
    assertEquals(List.of(1, 2, 3), shards(1).missing());
    play(1, 3);
    assertEquals(List.of(2), shards(1).missing());
    Path file = folder.resolve("shard-3.json");
    String whole = Files.readString(file);
    for (String damaged : List.of("", whole.substring(0, whole.length() / 2), "{}", "null")) {
      Files.writeString(file, damaged);
      assertEquals(List.of(2, 3), shards(1).missing());
    }
    Files.copy(folder.resolve("shard-1.json"), folder.resolve("shard-2.json"));
    assertEquals(List.of(2, 3), shards(1).missing());
  }

  @Test
  void shardsOfOtherJobsAreMissing() {
    play(1, 2, 3);
    assertEquals(List.of(1, 2, 3), shards(2).missing());
  }

  @Test
  void anotherSeedOrConfigurationIsAnotherSweep() {
    String one = Shards.fingerprint(jobs(1), settings(), SCENARIOS, 1);
    assertEquals(one, Shards.fingerprint(jobs(1), settings(), SCENARIOS, 1));
    assertNotEquals(one, Shards.fingerprint(jobs(1), settings(), SCENARIOS, 2));
    assertNotEquals(one, Shards.fingerprint(jobs(1), settings(), SCENARIOS.subList(0, 2), 1));
    assertNotEquals(
        one,
        Shards.fingerprint(
            jobs(1),
            new Settings(settings().nodes(), 0, 64, NodeChoice.TIGHTEST, false),
            SCENARIOS,
            1));
  }
}
