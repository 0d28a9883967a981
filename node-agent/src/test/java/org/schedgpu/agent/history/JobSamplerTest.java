package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobRecord.State;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** The new part of a snapshot of the region. */
class JobSamplerTest {
  private static final long GIB = 1L << 30;

  /** The region's clock began when it was noon. */
  private static final Clock CLOCK = new Clock(Records.NOON + 500, 500);

  private static JobSampler fresh() {
    return looks(Set.of(), 0);
  }

  private static JobSampler looks(Set<JobKey> running, long lastSequence) {
    return new JobSampler(Records.REGION, running, lastSequence, uid -> "user" + uid);
  }

  private static Job job(int record, long id, long begunNs) {
    return new Job(
        record,
        JobKind.SLURM,
        id,
        1000,
        "train",
        Mode.PEAK,
        1,
        true,
        50,
        false,
        false,
        false,
        begunNs,
        -1,
        new TreeMap<>(Map.of(0, 6 * GIB)),
        new TreeMap<>(Map.of(0, 6 * GIB)),
        new TreeMap<>(Map.of(0, GIB)),
        new TreeMap<>(Map.of(0, 3 * GIB, 1, GIB)),
        JobFigures.of(12, 2, 40),
        new Refusals(3, GIB));
  }

  private static EndedJob ended(long sequence, long id, long begunNs) {
    return new EndedJob(
        sequence,
        JobKind.SLURM,
        id,
        "train",
        1000,
        50,
        Mode.PEAK,
        new TreeMap<>(Map.of(0, 6 * GIB)),
        new TreeMap<>(Map.of(0, 3 * GIB)),
        new TreeMap<>(),
        begunNs,
        begunNs + 100,
        JobFigures.of(12, 2, 40),
        new Refusals(3, GIB),
        Optional.empty());
  }

  private static Client client(int record, int job) {
    return new Client(
        record,
        Optional.of(job),
        1,
        1,
        new TreeMap<>(Map.of(0, GIB / 4)),
        new TreeMap<>(Map.of(0, 6 * GIB)),
        new TreeMap<>(Map.of(0, 2 * GIB)));
  }

  private static Waiter waiter(int job, boolean granted) {
    return new Waiter(
        9, job, 0, List.of(0), Request.PEAK, 50, granted, 1, 3, GIB, 0, Optional.empty(), 0);
  }

  private static RegionSnapshot snapshot(List<Job> jobs, List<EndedJob> ended) {
    return new RegionSnapshot(
        1,
        Optional.of(Policy.FIFO),
        64,
        Optional.of(DeadlockRule.AVOID),
        0,
        5,
        0,
        0,
        0,
        0,
        List.of(new Device(0, "GPU-0", "GPU", 16 * GIB, 0, GIB / 4, 9 * GIB, GIB)),
        jobs,
        jobs.stream().map(job -> client(job.record() + 10, job.record())).toList(),
        List.of(waiter(1, false), waiter(2, true)),
        ended,
        List.of());
  }

  private static List<Long> ids(List<SeenJob> jobs) {
    return jobs.stream().map(seen -> seen.job().id()).toList();
  }

  @Test
  void aJobThatEndedHasAllThatTheRegionKnows() {
    HistoryBatch look =
        fresh().look(snapshot(List.of(), List.of(ended(1, 7, 100))), CLOCK, List.of());
    JobRecord expected =
        new JobRecord(
            0,
            State.ENDED,
            "slurm",
            7,
            "train",
            1000,
            "user1000",
            50,
            "peak",
            Records.NOON + 100,
            OptionalLong.of(Records.NOON + 200),
            JobFigures.of(12, 2, 40),
            new Refusals(3, GIB),
            new TreeMap<>(Map.of(0, new DeviceUse(6 * GIB, 3 * GIB, OptionalLong.of(0)))));
    assertEquals(
        List.of(new SeenJob(new JobKey("slurm", 7, 100), OptionalLong.of(1), expected)),
        look.ended());
    assertEquals(1, look.lastSequence());
    assertEquals(0, look.missed());
  }

  @Test
  void aLaneJobHasItsUseOfTheLane() {
    EndedJob job = ended(1, 7, 100);
    LaneUse use = new LaneUse(LanePolicy.SRTF, 0, 12, 11, 70, 80, GIB);
    EndedJob inLane =
        new EndedJob(
            job.sequence(),
            job.kind(),
            job.id(),
            job.name(),
            job.uid(),
            job.priority(),
            job.mode(),
            job.budgetBytes(),
            job.peakBytes(),
            new TreeMap<>(),
            job.begunNs(),
            job.endedNs(),
            job.figures(),
            job.refusals(),
            Optional.of(use));
    HistoryBatch look = fresh().look(snapshot(List.of(), List.of(inLane)), CLOCK, List.of());
    assertEquals(Optional.of(use), look.ended().get(0).job().lane());
  }

  /** A job that is lost counts with its last sample. */
  @Test
  void theTurnThatLastsIsPartOfASample() {
    RegionSnapshot lanes = Snapshots.withLanes();
    Clock clock = new Clock(Records.NOON, Snapshots.NOW);
    DeviceSample sample =
        JobSampler.sample(lanes, new Shares(lanes), lanes.devices().get(0), clock);
    assertEquals(OptionalInt.of(1), sample.lanes());
    assertEquals(OptionalInt.of(1), sample.waitingTurns());
    DeviceSample other = JobSampler.sample(lanes, new Shares(lanes), lanes.devices().get(1), clock);
    assertEquals(OptionalInt.of(1), other.lanes());
    assertEquals(OptionalInt.of(0), other.waitingTurns());
    LaneUse use =
        fresh().look(lanes, clock, List.of(sample)).running().stream()
            .filter(seen -> seen.job().id() == 4711)
            .findFirst()
            .flatMap(seen -> seen.job().lane())
            .orElseThrow();
    assertEquals(OptionalLong.of(127 * Snapshots.SECOND), use.serviceNs()); // 70 + 50 + 7
  }

  @Test
  void onlyWhatEndedSinceIsNew() {
    JobSampler looks = looks(Set.of(), 4);
    RegionSnapshot now = snapshot(List.of(), List.of(ended(4, 1, 1), ended(5, 2, 2)));
    HistoryBatch look = looks.look(now, CLOCK, List.of());
    assertEquals(List.of(2L), ids(look.ended()));
    assertEquals(5, look.lastSequence());
    assertEquals(List.of(2L), ids(looks.look(now, CLOCK, List.of()).ended()), "not written yet");
    looks.written(look);
    assertEquals(List.of(), looks.look(now, CLOCK, List.of()).ended());
  }

  @Test
  void whatTheRegionForgotIsCounted() {
    HistoryBatch look =
        looks(Set.of(), 4)
            .look(snapshot(List.of(), List.of(ended(8, 1, 1), ended(10, 2, 2))), CLOCK, List.of());
    assertEquals(4, look.missed()); // 5, 6, 7 and 9
    assertEquals(10, look.lastSequence());
  }

  @Test
  void aRegionThatCountsAgainIsTakenWhole() {
    HistoryBatch look =
        looks(Set.of(), 400)
            .look(snapshot(List.of(), List.of(ended(1, 1, 1), ended(2, 2, 2))), CLOCK, List.of());
    assertEquals(List.of(1L, 2L), ids(look.ended()));
    assertEquals(2, look.lastSequence());
    assertEquals(0, look.missed());
  }

  @Test
  void aRunningJobIsNewOnceAndBroughtUpToDateWithSamples() {
    JobSampler looks = fresh();
    RegionSnapshot now = snapshot(List.of(job(1, 7, 100)), List.of());
    HistoryBatch first = looks.look(now, CLOCK, List.of());
    assertEquals(List.of(7L), ids(first.running()));
    assertEquals(State.RUNNING, first.running().get(0).job().state());
    assertEquals(List.of(), first.jobs());
    looks.written(first);
    assertEquals(List.of(), looks.look(now, CLOCK, List.of()).running());
    HistoryBatch sampled = looks.look(now, CLOCK, List.of(Records.device(1, 0, 1)));
    assertEquals(List.of(7L), ids(sampled.running()));
    assertEquals(
        List.of(new SeenSample(new JobKey("slurm", 7, 100), 0, 6 * GIB + GIB / 4, 2 * GIB)),
        sampled.jobs());
  }

  @Test
  void aJobThatIsGoneEndedOrVanished() {
    Set<JobKey> running = Set.of(new JobKey("slurm", 7, 100), new JobKey("slurm", 8, 100));
    JobSampler looks = looks(running, 0);
    HistoryBatch look =
        looks.look(snapshot(List.of(), List.of(ended(1, 7, 100))), CLOCK, List.of());
    assertEquals(List.of(new JobKey("slurm", 8, 100)), look.vanished());
    looks.written(look);
    assertEquals(
        List.of(),
        looks.look(snapshot(List.of(), List.of(ended(1, 7, 100))), CLOCK, List.of()).vanished());
  }

  @Test
  void theSameNumberBegunAgainIsAnotherJob() {
    JobSampler looks = looks(Set.of(new JobKey("slurm", 7, 100)), 0);
    HistoryBatch look =
        looks.look(snapshot(List.of(job(1, 7, 300)), List.of(ended(1, 7, 100))), CLOCK, List.of());
    assertEquals(List.of(7L), ids(look.running()));
    assertEquals(List.of(7L), ids(look.ended()));
    assertEquals(List.of(), look.vanished());
  }

  @Test
  void aDeviceIsSampledWithoutWhatIsChargedForOutsiders() {
    RegionSnapshot now = snapshot(List.of(job(1, 7, 100), job(2, 8, 100)), List.of());
    DeviceSample sample = JobSampler.sample(now, new Shares(now), now.devices().get(0), CLOCK);
    assertEquals(Records.NOON + 500, sample.timeNs());
    assertEquals(6 * GIB, sample.reservedBytes()); // 9 GiB, less 1 foreign and 1 of each job
    assertEquals(4 * GIB, sample.inUseBytes());
    assertEquals(2, sample.jobs());
    assertEquals(1, sample.waiting(), "one was granted");
  }

  @Test
  void aClockThatWasSetDoesNotChangeHowLongAJobLasted() {
    Clock set = new Clock(Records.NOON - 86_400 * Records.SECOND, 500);
    JobRecord job =
        fresh()
            .look(snapshot(List.of(), List.of(ended(1, 7, 100))), set, List.of())
            .ended()
            .get(0)
            .job();
    assertEquals(OptionalLong.of(100), job.lastedNs());
  }
}
