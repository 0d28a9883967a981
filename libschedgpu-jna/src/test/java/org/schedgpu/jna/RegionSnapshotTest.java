package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Turn;
import org.schedgpu.jna.RegionSnapshot.Waiter;

class RegionSnapshotTest {
  private static final long GIB = 1L << 30;

  @Test
  void readsEveryFieldOfTheHeader() {
    RegionSnapshot snapshot = FakeRegion.busy().parse();
    assertEquals(1, snapshot.version());
    assertEquals(Optional.of(Policy.PRIORITY_FIFO), snapshot.policy());
    assertEquals(64, snapshot.overtakeLimit());
    assertEquals(
        List.of(5L, 6L, 7L, 8L, 9L),
        List.of(
            snapshot.graceNs(),
            snapshot.createdNs(),
            snapshot.recoveries(),
            snapshot.reapedClients(),
            snapshot.grants()));
    assertEquals(List.of(), snapshot.damage());
  }

  @Test
  void readsEveryFieldOfADevice() {
    Device device = FakeRegion.busy().parse().devices().get(0);
    assertEquals(
        new Device(0, "GPU-1", "Emulated GPU", 16 * GIB, GIB, GIB / 4, 6 * GIB + GIB / 4, 0),
        device);
    assertEquals(15 * GIB, device.usableBytes());
    assertTrue(device.emulated());
  }

  @Test
  void readsEveryFieldOfAJob() {
    List<Job> jobs = FakeRegion.busy().parse().jobs();
    assertEquals(
        List.of(
            new Job(
                0,
                JobKind.SLURM,
                4711,
                1000,
                "train",
                Mode.PEAK,
                1,
                true,
                50,
                false,
                false,
                false,
                100,
                0,
                new TreeMap<>(Map.of(0, 6 * GIB)),
                new TreeMap<>(Map.of(0, 6 * GIB)),
                new TreeMap<>(),
                new TreeMap<>(),
                JobFigures.of(0, 0, 0),
                Refusals.NONE),
            new Job(
                2,
                JobKind.RUN,
                99,
                1000,
                "train",
                Mode.PEAK,
                1,
                true,
                50,
                false,
                true,
                false,
                100,
                JobSpec.FOREVER,
                new TreeMap<>(Map.of(0, 12 * GIB)),
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(),
                JobFigures.of(0, 0, 0),
                Refusals.NONE)),
        jobs);
    assertEquals("slurm:4711", jobs.get(0).reference());
  }

  @Test
  void aRegionWithoutLanesHasNone() {
    RegionSnapshot snapshot = FakeRegion.busy().parse();
    assertEquals(List.of(), snapshot.lanes());
    assertEquals(List.of(), snapshot.turns());
    assertEquals(Optional.empty(), snapshot.jobs().get(0).lane());
  }

  /** Of a turn that lasts, the iterations that ended, and the present one; not the pauses. */
  @Test
  void aTurnThatLastsServes() {
    Lane busy = FakeRegion.withLane().parse().lanes().get(0);
    assertEquals(125, busy.servedNs(600));
    assertEquals(25, busy.servedNs(400)); // the clock of the caller was read before
    assertEquals(25, turn(busy, Optional.of(1), false).servedNs(600));
    assertEquals(0, turn(busy, Optional.empty(), false).servedNs(600));
  }

  /** For a moment the turn is idle before it goes on. */
  @Test
  void anIdleTurnThatOthersWaitForIsKept() {
    Lane busy = FakeRegion.withLane().parse().lanes().get(0);
    long second = 1_000_000_000L;
    assertEquals(0, busy.keptNs(450 + second));
    Lane idle = turn(busy, Optional.of(1), false);
    assertEquals(second, idle.keptNs(450 + second));
    assertEquals(0, idle.keptNs(449 + second));
    assertEquals(0, turn(busy, Optional.empty(), false).keptNs(450 + second));
    assertEquals(0, turn(busy, Optional.of(1), false, 0).keptNs(450 + second));
  }

  private static Lane turn(Lane lane, Optional<Integer> holder, boolean busy) {
    return turn(lane, holder, busy, lane.waiting());
  }

  private static Lane turn(Lane lane, Optional<Integer> holder, boolean busy, long waiting) {
    return new Lane(
        lane.record(),
        lane.device(),
        lane.policy(),
        lane.bytes(),
        lane.members(),
        holder,
        busy,
        lane.sinceNs(),
        lane.endedNs(),
        lane.idleSinceNs(),
        waiting,
        lane.switches());
  }

  @Test
  void readsEveryFieldOfALane() {
    RegionSnapshot snapshot = FakeRegion.withLane().parse();
    assertEquals(
        List.of(
            new Lane(1, 0, LanePolicy.SRTF, 11 * GIB, 2, Optional.of(1), true, 500, 25, 450, 1, 3)),
        snapshot.lanes());
    assertEquals(List.of(new Turn(3, 2, false, 17, 600, 5)), snapshot.turns());
    assertEquals(
        Optional.of(
            new JobLane(
                new LaneUse(LanePolicy.SRTF, 2, 4, 3, 30, 50, GIB / 2), 70, GIB, Optional.of(1))),
        snapshot.jobs().get(0).lane());
    assertEquals(List.of(), snapshot.damage());
  }

  @Test
  void aTurnMayBeIdleOrOfNobody() {
    FakeRegion region = FakeRegion.withLane().u64("lane", 1, "turn", 2);
    assertFalse(region.parse().lanes().get(0).busy());
    assertEquals(Optional.of(1), region.parse().lanes().get(0).holder());
    region.u64("lane", 1, "turn", 0).u32("turn", 3, "state", 2);
    assertEquals(Optional.empty(), region.parse().lanes().get(0).holder());
    assertTrue(region.parse().turns().get(0).granted());
    region.u32("job", 0, "lane", 0);
    assertEquals(Optional.empty(), region.parse().jobs().get(0).lane().orElseThrow().record());
    assertEquals(List.of(), region.parse().damage());
  }

  @Test
  void lanesThatCannotBeAreLeftOutAndNoted() {
    FakeRegion region = FakeRegion.withLane().u64("lane", 1, "turn", 1L << 32 | 9);
    assertEquals(Optional.empty(), region.parse().lanes().get(0).holder());
    assertEquals(List.of("lane record 1: turn of client record 8"), region.parse().damage());
    region.u32("lane", 1, "policy", 9).u32("turn", 3, "state", 7).u32("job", 0, "lane_policy", 8);
    RegionSnapshot snapshot = region.parse();
    assertEquals(List.of(), snapshot.lanes());
    assertEquals(List.of(), snapshot.turns());
    assertEquals(Optional.empty(), snapshot.jobs().get(0).lane());
    assertEquals(3, snapshot.damage().size());
  }

  @Test
  void tellsWhatAJobHasUsedAndHowLongItWaitedAndHeld() {
    FakeRegion region = FakeRegion.busy().u64("job", 0, "peak_bytes", 1, 2 * GIB);
    region.u64("job", 0, "waited_ns", 300).u64("job", 0, "waits", 2).u64("job", 0, "held_ns", 400);
    region.u64("job", 0, "context_peak_bytes", 1, GIB);
    RegionSnapshot snapshot = region.parse();
    Job job = snapshot.jobs().get(0);
    assertEquals(Map.of(1, 2 * GIB), job.peakBytes());
    assertEquals(Map.of(1, GIB), job.contextPeakBytes());
    assertEquals(300, job.waitedNs());
    assertEquals(2, job.waits());
    assertEquals(400, job.heldNs());
    assertEquals(List.of(), snapshot.damage());
  }

  @Test
  void tellsWhatAJobWasRefusedWhetherAnybodyHasNotedItOrNot() {
    FakeRegion region = FakeRegion.busy().u64("region", 0, "refusals", 30);
    region.u32("job", 0, "refusals", 2).u64("job", 0, "refused_bytes", GIB);
    region.u64("client", 1, "refused", 3L << 32 | 2 * GIB / 512); // of this job
    RegionSnapshot snapshot = region.parse();
    assertEquals(new Refusals(5, 2 * GIB), snapshot.jobs().get(0).refusals());
    assertEquals(Refusals.NONE, snapshot.jobs().get(1).refusals());
    assertEquals(33, snapshot.refusals());
  }

  /** The largest size stays in the mark after the count was taken. */
  @Test
  void whatIsNotedIsNotCountedTwice() {
    FakeRegion region = FakeRegion.busy().u64("client", 1, "refused", 9 * GIB / 512);
    assertEquals(Refusals.NONE, region.parse().jobs().get(0).refusals());
  }

  @Test
  void refusalsThatCannotBeAreCutToADeviceOrNoted() {
    FakeRegion region = FakeRegion.busy().u64("client", 1, "refused", 1L << 32 | 0xffffffffL);
    assertEquals(new Refusals(1, 16 * GIB), region.parse().jobs().get(0).refusals());
    region.u64("job", 0, "refused_bytes", -1);
    assertEquals(1, region.parse().damage().size());
    region.u32("client", 1, "state", 0).ended(0, 1, 11).u64("ended", 0, "refused_bytes", -1);
    assertEquals(Refusals.NONE, region.parse().jobs().get(0).refusals());
    assertEquals(List.of(), region.parse().ended());
  }

  @Test
  void whatAJobHoldsNowCountsToo() {
    FakeRegion region = FakeRegion.busy().u64("job", 0, "held_ns", 400);
    region.u64("job", 0, "held_since_ns", 1000);
    SnapshotParser parser =
        new SnapshotParser(ByteBuffer.wrap(region.bytes()), region.layout(), 1500);
    assertEquals(900, parser.parse(SnapshotParser::allEnded).jobs().get(0).heldNs());
  }

  @Test
  void timesAndCountsThatCannotBeAreNotedAndShownAsNothing() {
    FakeRegion region = FakeRegion.busy().u64("job", 0, "waited_ns", -1);
    region
        .u64("job", 0, "waits", -1)
        .u64("job", 0, "held_ns", -5)
        .u64("job", 0, "peak_bytes", 0, -2);
    RegionSnapshot snapshot = region.parse();
    Job job = snapshot.jobs().get(0);
    assertEquals(
        List.of(0L, 0L, 0L, 0L),
        List.of(job.waitedNs(), job.waits(), job.heldNs(), job.peakBytes().get(0)));
    assertEquals(4, snapshot.damage().size());
  }

  @Test
  void readsEveryFieldOfAJobThatEnded() {
    FakeRegion region = FakeRegion.busy().ended(2, 3, 4711);
    assertEquals(
        List.of(
            new EndedJob(
                3,
                JobKind.SLURM,
                4711,
                "train",
                1000,
                50,
                Mode.PEAK,
                new TreeMap<>(Map.of(0, 6 * GIB)),
                new TreeMap<>(Map.of(0, 2 * GIB)),
                new TreeMap<>(Map.of(0, GIB)),
                100,
                900,
                JobFigures.of(300, 3, 400),
                new Refusals(4, 5 * GIB),
                Optional.empty())),
        region.parse().ended());
    assertEquals("slurm:4711", region.parse().ended().get(0).reference());
  }

  @Test
  void theOldestJobThatEndedIsFirst() {
    FakeRegion region = FakeRegion.busy().ended(0, 5, 15).ended(2, 3, 13).ended(3, 4, 14);
    assertEquals(
        List.of(3L, 4L, 5L), region.parse().ended().stream().map(EndedJob::sequence).toList());
  }

  @Test
  void anEndedLaneJobTellsItsUseOfTheLane() {
    FakeRegion region = FakeRegion.busy().ended(2, 3, 4711).u32("ended", 2, "lane_policy", 3);
    region.u32("ended", 2, "turns", 12).u32("ended", 2, "switches", 11);
    region.u64("ended", 2, "service_ns", 70).u64("ended", 2, "turn_waited_ns", 80);
    region.u64("ended", 2, "kept_bytes", GIB);
    assertEquals(
        Optional.of(new LaneUse(LanePolicy.FAIR, 0, 12, 11, 70, 80, GIB)),
        region.parse().ended().get(0).lane());
  }

  private static List<Long> endedAfter(FakeRegion region, long sequence) {
    ByteBuffer bytes = ByteBuffer.wrap(region.bytes());
    return new EndedJobs(new RegionBytes(bytes, region.layout()), sequence)
        .stream().map(EndedJob::sequence).toList();
  }

  @Test
  void thoseAfterAJobThatEndedAreTheYoungerOnes() {
    FakeRegion region = FakeRegion.busy().ended(0, 5, 15).ended(2, 3, 13).ended(3, 4, 14);
    assertEquals(List.of(4L, 5L), endedAfter(region, 3));
    assertEquals(List.of(), endedAfter(region, 5));
  }

  @Test
  void whereNoneIsAsYoungTheyAreCountedAgain() {
    FakeRegion region = FakeRegion.busy().ended(0, 5, 15).ended(2, 3, 13);
    assertEquals(List.of(3L, 5L), endedAfter(region, 6));
  }

  @Test
  void aJobThatEndedAndCannotBeIsLeftOut() {
    FakeRegion region = FakeRegion.busy().ended(0, 1, 11).ended(1, 2, 12).ended(2, 3, 13);
    region.ended(3, 4, 14).u32("ended", 0, "kind", 0).u64("ended", 1, "peak_bytes", 0, -1);
    region.u32("ended", 2, "mode", 9);
    assertEquals(List.of(14L), region.parse().ended().stream().map(EndedJob::id).toList());
  }

  @Test
  void byOutsideMemoryMoreMayBeUsedThanThereIs() {
    FakeRegion region = FakeRegion.busy().u64("device", 0, "used_bytes", 26 * GIB);
    region
        .u64("device", 0, "unreserved_bytes", 19 * GIB)
        .u64("device", 0, "foreign_bytes", 16 * GIB);
    region.u64("job", 2, "overrun_bytes", 0, GIB).u64("job", 2, "overrun_bytes", 1, 2 * GIB);
    RegionSnapshot snapshot = region.parse();
    assertEquals(26 * GIB, snapshot.devices().get(0).usedBytes());
    assertEquals(16 * GIB, snapshot.devices().get(0).foreignBytes());
    assertEquals(Map.of(), snapshot.jobs().get(0).overrunBytes());
    assertEquals(Map.of(0, GIB, 1, 2 * GIB), snapshot.jobs().get(1).overrunBytes());
    assertEquals(List.of(), snapshot.damage());
  }

  @Test
  void aBudgetThatIsNotHeldIsNotReserved() {
    FakeRegion region = FakeRegion.busy().u32("job", 0, "held_mask", 0);
    assertEquals(Map.of(), region.parse().jobs().get(0).heldBytes());
  }

  @Test
  void readsEveryFieldOfAClient() {
    Client client = FakeRegion.busy().parse().clients().get(0);
    assertEquals(
        new Client(
            1,
            Optional.of(0),
            1234,
            77,
            new TreeMap<>(Map.of(0, GIB / 4)),
            new TreeMap<>(Map.of(0, 6 * GIB)),
            new TreeMap<>(Map.of(0, 2 * GIB))),
        client);
  }

  @Test
  void aToolOfRootHasNoJob() {
    FakeRegion region = FakeRegion.busy().u32("client", 1, "job", 0xffffffffL);
    assertEquals(Optional.empty(), region.parse().clients().get(0).job());
    assertEquals(List.of(), region.parse().damage());
  }

  @Test
  void readsEveryFieldOfAWaiter() {
    FakeRegion region = FakeRegion.busy().u32("waiter", 0, "overtaken", 3);
    region.u64("waiter", 0, "deadline_ns", 2000);
    assertEquals(
        List.of(
            new Waiter(
                3,
                2,
                0,
                List.of(0),
                Request.PEAK,
                50,
                false,
                1,
                10,
                12 * GIB,
                1000,
                Optional.of(2000L),
                3)),
        region.parse().waiters());
  }

  @Test
  void waitersAreInTheOrderOfTheirTicketsWithAPlacePerQueue() {
    FakeRegion region = FakeRegion.busy();
    region.waiter(1, 1, 0, 3, GIB).u64("waiter", 1, "ticket", 5);
    region.waiter(2, 1, 0, 2, GIB).u64("waiter", 2, "ticket", 11);
    List<Waiter> waiters = region.parse().waiters();
    assertEquals(List.of(5L, 10L, 11L), waiters.stream().map(Waiter::ticket).toList());
    assertEquals(List.of(1, 1, 2), waiters.stream().map(Waiter::place).toList());
  }

  @Test
  void whatExceedsAHeldBudgetWaitsOnOneDevice() {
    FakeRegion region = FakeRegion.busy().u32("job", 2, "flags", 2);
    region.u32("job", 2, "device_mask", 3).u32("waiter", 0, "device_mask", 3);
    assertEquals(List.of(0, 1), region.parse().waiters().get(0).devices());
    region.u32("job", 2, "held_mask", 3);
    assertEquals(List.of(0), region.parse().waiters().get(0).devices());
  }

  @Test
  void whoseJobIsNotAdmittedQueuesApart() {
    FakeRegion region = FakeRegion.busy().u32("job", 2, "admitted", 0);
    region.waiter(1, 1, 0, 1, GIB).u64("waiter", 1, "ticket", 5);
    region.waiter(2, 1, 0, 3, GIB).u64("waiter", 2, "ticket", 11);
    List<Waiter> waiters = region.parse().waiters();
    assertEquals(List.of(1, 1, 2), waiters.stream().map(Waiter::place).toList());
  }

  @Test
  void readsWhatAGateJobDeclares() {
    FakeRegion region = FakeRegion.busy().u32("job", 0, "mode", 3).u32("job", 0, "processes", 4);
    Job job = region.parse().jobs().get(0);
    assertEquals(Mode.GATE, job.mode());
    assertEquals(4, job.processes());
  }

  @Test
  void anUnknownDeadlockRuleIsDamage() {
    RegionSnapshot snapshot = FakeRegion.busy().u32("region", 0, "deadlock_rule", 7).parse();
    assertEquals(Optional.empty(), snapshot.deadlockRule());
    assertEquals(List.of("deadlock rule 7 is not known"), snapshot.damage());
  }

  @Test
  void whatWasGrantedHasNoPlace() {
    FakeRegion region = FakeRegion.busy().u32("waiter", 0, "state", 2);
    assertEquals(0, region.parse().waiters().get(0).place());
  }

  @Test
  void anUnknownPolicyIsDamage() {
    RegionSnapshot snapshot = FakeRegion.busy().u32("region", 0, "policy", 77).parse();
    assertEquals(Optional.empty(), snapshot.policy());
    assertEquals(List.of("policy 77 is not known"), snapshot.damage());
  }

  @Test
  void forgedNumbersAreLeftOutAndNamed() {
    Map<String, FakeRegion> forged = new TreeMap<>();
    forged.put(
        "device count 3 of at most 2", FakeRegion.busy().u32("region", 0, "device_count", 3));
    forged.put(
        "device record 0: state 9 is not known: left out",
        FakeRegion.busy().u32("device", 0, "state", 9));
    forged.put(
        "device record 0: its sizes cannot be right: left out",
        FakeRegion.busy().u64("device", 0, "total_bytes", -1));
    forged.put(
        "device record 0: 18446744073709551615 bytes used of 17179869184",
        FakeRegion.busy().u64("device", 0, "used_bytes", -1));
    forged.put(
        "device record 0: 7516192768 bytes used of 17179869184",
        FakeRegion.busy()
            .u64("device", 0, "used_bytes", 7 * GIB)
            .u64("device", 0, "unreserved_bytes", 8 * GIB));
    forged.put(
        "device record 0: 17179869185 foreign bytes",
        FakeRegion.busy().u64("device", 0, "foreign_bytes", 16 * GIB + 1));
    forged.put(
        "job record 2: 18446744073709551615 bytes of device 1",
        FakeRegion.busy().u64("job", 2, "overrun_bytes", 1, -1));
    forged.put(
        "job record 2: state 1, kind 7, mode 1: left out",
        FakeRegion.busy().u32("job", 2, "kind", 7));
    forged.put(
        "job record 2: device mask ffffffff: left out",
        FakeRegion.busy().u32("job", 2, "device_mask", 0xffffffffL));
    forged.put(
        "job record 2: id 18446744073709551615: left out",
        FakeRegion.busy().u64("job", 2, "id", -1));
    forged.put(
        "job record 2: 18446744073709551615 bytes of device 0",
        FakeRegion.busy().u64("job", 2, "budget_bytes", -1));
    forged.put(
        "client record 1: job record 100000 is not in use: left out",
        FakeRegion.busy().u32("client", 1, "job", 100000));
    forged.put(
        "client record 1: state 3 is not known: left out",
        FakeRegion.busy().u32("client", 1, "state", 3));
    forged.put(
        "client record 1: 18446744073709551615 bytes of device 1",
        FakeRegion.busy().u64("client", 1, "contexts", 1, -1));
    forged.put(
        "waiter record 0: state 1, kind 0: left out",
        FakeRegion.busy().u32("waiter", 0, "kind", 0));
    forged.put(
        "waiter record 0: device 4294967295 of mask 1: left out",
        FakeRegion.busy().u32("waiter", 0, "device", 0xffffffffL));
    forged.put(
        "waiter record 0: client 4, job record 2: left out",
        FakeRegion.busy().u32("waiter", 0, "client", 4));
    forged.put(
        "waiter record 0: client 3, job record 1: left out",
        FakeRegion.busy().u32("waiter", 0, "job", 1));
    forged.put(
        "waiter record 0: 18446744073709551615 bytes: left out",
        FakeRegion.busy().u64("waiter", 0, "bytes", -1));
    forged.forEach(
        (note, region) -> assertTrue(region.parse().damage().contains(note), () -> note));
  }

  @Test
  void aNameCannotControlTheTerminal() {
    FakeRegion region = FakeRegion.busy().text("job", 0, "name", "\u001b[2J\u009bab\u202e\n");
    assertEquals("?[2J?ab??", region.parse().jobs().get(0).name());
  }

  @Test
  void aTextWithoutAnEndStopsAtItsField() {
    FakeRegion region = FakeRegion.busy().text("device", 0, "uuid", "x".repeat(48));
    assertEquals("x".repeat(48), region.parse().devices().get(0).uuid());
  }

  @Test
  void damageIsBounded() {
    RegionSnapshot snapshot = new FakeRegion().fill((byte) 0xff).parse();
    assertFalse(snapshot.damage().isEmpty());
    assertTrue(snapshot.damage().size() <= 21);
    assertEquals(List.of(), snapshot.jobs());
  }

  @Test
  void randomBytesNeverThrow() {
    for (int seed = 0; seed < 500; seed++) {
      FakeRegion region = FakeRegion.busy();
      Random random = new Random(seed);
      byte[] bytes = region.bytes();
      for (int i = 0; i < 40; i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      region.parse();
    }
  }

  @Test
  void aSnapshotThatIsTooShortIsRefused() {
    FakeRegion region = FakeRegion.busy();
    byte[] half = Arrays.copyOf(region.bytes(), region.bytes().length / 2);
    RegionLayout layout = region.layout();
    assertThrows(
        IllegalArgumentException.class, () -> new SnapshotParser(ByteBuffer.wrap(half), layout, 0));
  }

  @Test
  void aMissingNameSaysWhatToDo() {
    IllegalStateException problem =
        assertThrows(IllegalStateException.class, () -> RegionLayout.of(Map.of()).at("job.id"));
    assertEquals(
        "libschedgpu: its layout has no usable \"job.id\": install libschedgpu and schedgpu of one"
            + " version",
        problem.getMessage());
  }
}
