package org.schedgpu.agent.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;
import static org.schedgpu.agent.Snapshots.NOW;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

class JobEventsTest {
  private static final List<Device> DEVICES =
      List.of(new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, 0, 0, 0));
  private static final Job HOLDER = job(0, 7, Map.of(0, 10 * GIB));
  private static final Job WAITS = job(1, 8, Map.of());
  private static final Job SERVED = job(1, 8, Map.of(0, 10 * GIB));

  private final JobEvents events = new JobEvents(uid -> uid == 1000 ? "alice" : "bob", NOW);

  private static Job job(int record, long id, Map<Integer, Long> held) {
    return Snapshots.job(record, JobKind.SLURM, id, 1000, Mode.PEAK, 50, Map.of(0, 10 * GIB), held);
  }

  private static RegionSnapshot region(List<Job> jobs, Waiter... waiters) {
    return Snapshots.snapshot(
        DEVICES,
        jobs,
        List.of(Snapshots.client(6, 1, 102, Map.of(), 0, 0)),
        List.of(waiters),
        List.of());
  }

  private static Waiter waiter(int place) {
    return Snapshots.waiter(6, 1, Request.PEAK, place, 5, 10 * GIB, List.of(0), 65);
  }

  private List<String> changes(RegionSnapshot now) {
    return events.changes(now, NOW);
  }

  @Test
  void aJobIsReportedFromItsBeginToItsEnd() {
    assertEquals(List.of(), changes(region(List.of())));
    assertEquals(
        List.of("begin job=slurm:7 user=alice device=0 bytes=10737418240 mode=peak priority=50"),
        changes(region(List.of(HOLDER))));
    assertEquals(List.of(), changes(region(List.of(HOLDER))));
    assertEquals(
        List.of(
            "end job=slurm:7 user=alice device=0 bytes=10737418240 lasted=10000.000s"
                + " waited=0.000s peak=0"),
        changes(region(List.of())));
  }

  @Test
  void whatWasThereBeforeUsIsFound() {
    assertEquals(
        List.of("found job=slurm:7 user=alice device=0 bytes=10737418240 mode=peak priority=50"),
        changes(region(List.of(HOLDER))));
  }

  @Test
  void aWaitIsReportedWithHowLongItTookAndWhatCameOfIt() {
    changes(region(List.of(HOLDER, WAITS)));
    assertEquals(
        List.of("wait job=slurm:8 user=alice device=0 bytes=10737418240 place=1 pid=102"),
        changes(region(List.of(HOLDER, WAITS), waiter(1))));
    assertEquals(List.of(), changes(region(List.of(HOLDER, WAITS), waiter(1))));
    assertEquals(
        List.of(
            "waited job=slurm:8 user=alice device=0 bytes=10737418240 waited=65.000s"
                + " holds=10737418240",
            "end job=slurm:7 user=alice device=0 bytes=10737418240 lasted=10000.000s"
                + " waited=0.000s peak=0"),
        changes(region(List.of(SERVED), waiter(0))));
  }

  private static RegionSnapshot ended(RegionSnapshot now, long createdNs, EndedJob... jobs) {
    return new RegionSnapshot(
        now.version(),
        now.policy(),
        now.overtakeLimit(),
        now.deadlockRule(),
        now.graceNs(),
        createdNs,
        now.recoveries(),
        now.reapedClients(),
        now.grants(),
        now.refusals(),
        now.devices(),
        now.jobs(),
        now.clients(),
        now.waiters(),
        List.of(jobs),
        now.damage());
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
        new TreeMap<>(Map.of(0, 6 * GIB, 1, GIB)),
        new TreeMap<>(Map.of(1, GIB / 2)),
        new TreeMap<>(),
        begunNs,
        begunNs + 250_000_000,
        JobFigures.of(125_000_000, 1, 0),
        Refusals.NONE,
        Optional.empty());
  }

  private List<String> ended(EndedJob... jobs) {
    return changes(ended(region(List.of()), 1, jobs));
  }

  private static List<String> firstWords(List<String> lines) {
    return lines.stream().map(line -> line.substring(0, line.indexOf(" user="))).toList();
  }

  @Test
  void aJobThatNoPictureShowsIsReported() {
    ended();
    assertEquals(
        List.of(
            "begin job=slurm:9 user=alice device=0,1 bytes=6442450944,1073741824 mode=peak"
                + " priority=50",
            "end job=slurm:9 user=alice device=0,1 bytes=6442450944,1073741824 lasted=0.250s"
                + " waited=0.125s peak=0,536870912"),
        ended(ended(1, 9, 5)));
    assertEquals(List.of(), ended(ended(1, 9, 5)));
    assertEquals(1, events.lastEnded());
  }

  @Test
  void aJobThatWasSeenEndsOnceAndAsTheRegionRemembers() {
    changes(ended(region(List.of(HOLDER)), 1));
    List<String> end = ended(ended(1, 7, HOLDER.begunNs()));
    assertEquals(List.of("end job=slurm:7"), firstWords(end));
    assertTrue(end.get(0).contains(" waited=0.125s "), end.get(0));
    assertEquals(List.of(), ended(ended(1, 7, HOLDER.begunNs())));
  }

  @Test
  void whatEndedBetweenTheStartAndTheFirstPictureIsReported() {
    assertEquals(
        List.of("begin job=slurm:9", "end job=slurm:9"),
        firstWords(ended(ended(1, 8, 5), ended(2, 9, NOW))));
  }

  @Test
  void whatEndedBeforeTheStartIsNotReported() {
    assertEquals(List.of(), ended(ended(1, 8, 5), ended(2, 9, 5)));
    assertEquals(2, events.lastEnded());
    assertEquals(
        List.of("begin job=slurm:9", "end job=slurm:9"),
        firstWords(ended(ended(2, 9, 5), ended(3, 9, 6))));
  }

  @Test
  void aRegionThatCountsAgainIsFollowedFromThere() {
    ended(ended(7, 8, 5));
    assertEquals(List.of(), ended(ended(2, 9, 5)));
    assertEquals(
        List.of("begin job=slurm:9", "end job=slurm:9"), firstWords(ended(ended(3, 9, 6))));
  }

  @Test
  void inAnotherRegionNothingEndedBefore() {
    ended(ended(7, 8, 5));
    assertEquals(
        List.of("begin job=slurm:9", "end job=slurm:9"),
        firstWords(changes(ended(region(List.of()), 2, ended(1, 9, 6)))));
    assertEquals(List.of(), changes(ended(region(List.of()), 3)));
    assertEquals(0, events.lastEnded());
  }

  @Test
  void whoGaveUpHoldsNothing() {
    changes(region(List.of(HOLDER, WAITS), waiter(1)));
    assertEquals(
        List.of("waited job=slurm:8 user=alice device=0 bytes=10737418240 waited=65.000s holds=0"),
        changes(region(List.of(HOLDER, WAITS))));
  }
}
