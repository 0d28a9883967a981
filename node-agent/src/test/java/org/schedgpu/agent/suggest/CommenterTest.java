package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Job;

/** When the agent reports which usage to Slurm. The test empties the queue itself. */
class CommenterTest {
  private static final long GIB = 1L << 30;
  private static final long SECOND = 1_000_000_000L;

  private final Map<Long, String> texts = new HashMap<>();
  private final CommentQueue queue = new CommentQueue(() -> new Jobs(texts));
  private final Commenter commenter = new Commenter(queue);

  private record Jobs(Map<Long, String> texts) implements SlurmJobs {
    @Override
    public String read(long job) {
      return texts.getOrDefault(job, "");
    }

    @Override
    public void write(long job, String text) {
      texts.put(job, text);
    }
  }

  private static SortedMap<Integer, Long> gib(double number) {
    return number == 0 ? new TreeMap<>() : new TreeMap<>(Map.of(0, (long) (number * GIB)));
  }

  private static Job job(JobKind kind, double peakGib, long waitedNs) {
    return new Job(
        0,
        kind,
        7,
        1000,
        "train",
        Mode.PEAK,
        1,
        true,
        50,
        false,
        false,
        false,
        0,
        -1,
        gib(6),
        gib(6),
        gib(0),
        gib(peakGib),
        JobFigures.of(waitedNs, 1, 0),
        Refusals.NONE);
  }

  private static Client client() {
    return new Client(1, Optional.of(0), 100, 1, new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
  }

  private String look(double seconds, List<Job> jobs, boolean alive, EndedJob... ended) {
    RegionSnapshot now =
        new RegionSnapshot(
            5,
            Optional.empty(),
            64,
            Optional.empty(),
            0,
            0,
            0,
            0,
            0,
            0,
            List.of(),
            jobs,
            alive ? List.of(client()) : List.of(),
            List.of(),
            List.of(ended),
            List.of());
    commenter.look(now, (long) (seconds * SECOND));
    while (queue.size() > 0) {
      queue.step();
    }
    return texts.get(7L);
  }

  private String look(double seconds, double peakGib, boolean alive) {
    return look(seconds, List.of(job(JobKind.SLURM, peakGib, 0)), alive);
  }

  @Test
  void aJobThatUsedNothingHasNothingToSay() {
    assertEquals(null, look(5, 0, true));
  }

  @Test
  void theFirstUseIsReportedAtOnceAndLaterOnesLessAndLessOften() {
    assertEquals("schedgpu: peak 1.0 GiB of 6.0 GiB, device 0", look(5, 1, true));
    assertEquals("schedgpu: peak 1.0 GiB of 6.0 GiB, device 0", look(9, 2, true));
    assertEquals("schedgpu: peak 2.0 GiB of 6.0 GiB, device 0", look(10, 2, true));
    look(800, 3, true);
    assertEquals("schedgpu: peak 3.0 GiB of 6.0 GiB, device 0", look(899, 4, true));
    assertEquals("schedgpu: peak 4.0 GiB of 6.0 GiB, device 0", look(1000, 4, true));
  }

  /**
   * Slurm accepts nothing after the job is over, so the end of the last program is the last chance.
   */
  @Test
  void theEndOfItsLastProgramIsReportedAtOnce() {
    look(1000, 1, true);

    assertEquals("schedgpu: peak 2.0 GiB of 6.0 GiB, device 0", look(1001, 2, false));
  }

  @Test
  void whatIsTrueStillIsNotWrittenAgain() {
    look(5, 1, true);
    texts.clear();

    assertEquals(null, look(500, 1, true));
  }

  @Test
  void whatItWaitedIsSaid() {
    assertEquals(
        "schedgpu: peak 1.0 GiB of 6.0 GiB, waited 12 s, device 0",
        look(50, List.of(job(JobKind.SLURM, 1, 12 * SECOND)), true));
  }

  @Test
  void jobsWithoutSlurmAreNoneOfItsBusiness() {
    assertEquals(null, look(5, List.of(job(JobKind.RUN, 1, 0)), true));
  }

  @Test
  void whatAJobThatEndedHadAtLastIsTriedOnceMore() {
    EndedJob ended =
        new EndedJob(
            1,
            JobKind.SLURM,
            7,
            "train",
            1000,
            50,
            Mode.PEAK,
            gib(6),
            gib(5),
            new TreeMap<>(),
            0,
            60 * SECOND,
            JobFigures.of(0, 0, 0),
            Refusals.NONE,
            Optional.empty());
    look(5, 1, true);

    assertEquals("schedgpu: peak 5.0 GiB of 6.0 GiB, device 0", look(60, List.of(), false, ended));
    texts.clear();
    assertEquals(null, look(65, List.of(), false, ended));
  }

  @Test
  void theDeviceOfWhichMostWasUsedSpeaksForAll() {
    assertEquals(
        "schedgpu: peak 3.0 GiB of 4.0 GiB, devices 0,2",
        JobComment.of(
            Map.of(0, 6 * GIB, 2, 4 * GIB), Map.of(0, GIB, 2, 3 * GIB), 0, Refusals.NONE));
    assertEquals(
        "schedgpu: peak 512 MiB, device 1",
        JobComment.of(Map.of(), Map.of(1, GIB / 2), 0, Refusals.NONE));
    assertEquals("", JobComment.of(Map.of(0, GIB), Map.of(0, 0L), 0, Refusals.NONE));
  }

  @Test
  void whatWasRefusedIsSaidToo() {
    assertEquals(
        "schedgpu: peak 3.0 GiB of 4.0 GiB, 2 allocations refused, up to 1.0 GiB, waited 5 s,"
            + " device 0",
        JobComment.of(Map.of(0, 4 * GIB), Map.of(0, 3 * GIB), 5 * SECOND, new Refusals(2, GIB)));
    assertEquals(
        "schedgpu: peak 0 MiB of 4.0 GiB, 1 allocation refused, up to 9.0 GiB, device 0",
        JobComment.of(Map.of(0, 4 * GIB), Map.of(0, 0L), 0, new Refusals(1, 9 * GIB)));
  }
}
