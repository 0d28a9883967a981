package org.schedgpu.agent;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.schedgpu.agent.overrun.GpuUse;
import org.schedgpu.agent.overrun.GpuUser;
import org.schedgpu.agent.overrun.Overruns;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobLane;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Turn;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** A snapshot made by hand: two devices, four jobs, three waiters and one granted request. */
public final class Snapshots {
  public static final long GIB = 1L << 30;
  public static final long SECOND = 1_000_000_000L;
  public static final long NOW = 10_000 * SECOND;

  private Snapshots() {}

  public static RegionSnapshot busy() {
    return snapshot(
        List.of(
            new Device(
                0,
                "GPU-5e3ad0d5-1111-2222-3333-444444444444",
                "Tesla K20m",
                16 * GIB,
                GIB,
                GIB / 4,
                12 * GIB + GIB / 4,
                0),
            new Device(1, "GPU-1", "Emulated GPU 1", 16 * GIB, 0, GIB / 4, 0, 0)),
        List.of(
            job(4, JobKind.RUN, 31, 1001, Mode.ONDEMAND, 10, Map.of(0, 0L), Map.of()),
            job(
                0,
                JobKind.SLURM,
                4711,
                1000,
                Mode.PEAK,
                50,
                Map.of(0, 9 * GIB),
                Map.of(0, 9 * GIB)),
            job(2, JobKind.SLURM, 99, 1000, Mode.PEAK, 90, budgets(6 * GIB, GIB), Map.of()),
            job(3, JobKind.SLURM, 1234567890123L, 1001, Mode.GATE, 50, Map.of(0, GIB), Map.of())),
        List.of(
            client(1, 0, 100, Map.of(0, GIB / 4), 9 * GIB, 2 * GIB),
            client(5, 4, 101, Map.of(0, GIB / 2), 3 * GIB, 3 * GIB),
            client(6, 2, 102, Map.of(), 0, 0),
            client(7, 3, 103, Map.of(), 0, 0)),
        List.of(
            waiter(6, 2, Request.PEAK, 1, 5, 4096, List.of(0, 1), 65),
            waiter(7, 3, Request.PEAK, 2, 6, 512, List.of(0), 7384),
            waiter(5, 4, Request.CONTEXT, 1, 7, GIB / 4, List.of(0), 1),
            waiter(5, 4, Request.ONDEMAND, 0, 4, GIB, List.of(0), 0)),
        List.of());
  }

  /**
   * The same node, on which the jobs 4711 and 99 have a lane: the first has the turn, the second
   * waits for it. A second lane has no turn now.
   */
  public static RegionSnapshot withLanes() {
    RegionSnapshot busy = busy();
    return snapshot(
        busy.devices(),
        busy.jobs().stream().map(Snapshots::withLane).toList(),
        busy.clients(),
        List.of(),
        List.of(
            new Lane(
                0,
                0,
                LanePolicy.SRTF,
                8 * GIB,
                2,
                Optional.of(1),
                true,
                NOW - 7 * SECOND,
                50 * SECOND,
                NOW - 65 * SECOND,
                1,
                41),
            new Lane(3, 1, LanePolicy.PACK, GIB / 2, 1, Optional.empty(), false, 0, 0, 0, 0, 0)),
        List.of(
            new Turn(6, 2, false, 8, NOW - 65 * SECOND, 2),
            new Turn(7, 3, true, 9, NOW - SECOND, 0)),
        List.of());
  }

  /** The same node, but job 4711 has ended its iteration, and keeps too much. */
  public static RegionSnapshot withKeptTurn() {
    RegionSnapshot node = withLanes();
    Lane kept = node.lanes().get(0);
    return snapshot(
        node.devices(),
        node.jobs(),
        node.clients(),
        List.of(),
        List.of(
            new Lane(
                kept.record(),
                kept.device(),
                kept.policy(),
                kept.bytes(),
                kept.members(),
                kept.holder(),
                false,
                NOW - 70 * SECOND,
                kept.endedNs(),
                kept.idleSinceNs(),
                kept.waiting(),
                kept.switches()),
            node.lanes().get(1)),
        node.turns(),
        List.of());
  }

  private static LaneUse unused(LanePolicy policy) {
    return new LaneUse(policy, 1, 0, 0, 0, 0, 0);
  }

  private static Job withLane(Job job) {
    Optional<JobLane> lane =
        switch ((int) job.id()) {
          case 4711 ->
              Optional.of(
                  new JobLane(
                      new LaneUse(
                          LanePolicy.SRTF, 4, 12, 11, 70 * SECOND, 30 * SECOND, GIB + GIB / 2),
                      600 * SECOND,
                      GIB,
                      Optional.of(0)));
          case 99 -> Optional.of(new JobLane(unused(LanePolicy.SRTF), 0, 0, Optional.of(0)));
          case 31 -> Optional.of(new JobLane(unused(LanePolicy.PACK), 0, 0, Optional.empty()));
          default -> Optional.empty();
        };
    return new Job(
        job.record(),
        job.kind(),
        job.id(),
        job.uid(),
        job.name(),
        job.mode(),
        job.processes(),
        job.admitted(),
        job.priority(),
        job.ending(),
        job.owned(),
        job.dead(),
        job.begunNs(),
        job.waitNs(),
        job.budgetBytes(),
        new TreeMap<>(job.heldBytes().isEmpty() ? Map.of() : Map.of(0, GIB)),
        job.overrunBytes(),
        job.peakBytes(),
        job.figures(),
        job.refusals(),
        lane,
        new TreeMap<>());
  }

  /** The same node with unreserved memory of a job and a desktop, partly charged. */
  public static RegionSnapshot charged() {
    RegionSnapshot busy = busy();
    Device first = busy.devices().get(0);
    Device second = busy.devices().get(1);
    return snapshot(
        List.of(
            new Device(
                0,
                first.uuid(),
                first.name(),
                first.totalBytes(),
                first.reservedBytes(),
                first.contextBytes(),
                first.usedBytes() + GIB,
                GIB),
            second),
        busy.jobs().stream()
            .map(job -> job.id() == 99 ? withOverrun(job, Map.of(1, 3 * GIB)) : job)
            .toList(),
        busy.clients(),
        busy.waiters(),
        busy.damage());
  }

  public static GpuUse use(RegionSnapshot snapshot) {
    Map<Integer, Overruns.Seen> seen = new TreeMap<>();
    seen.put(
        0,
        new Overruns.Seen(
            Optional.of(
                List.of(
                    user(4711, "train", 10 * GIB, job(snapshot, 4711), true),
                    user(4712, "train-static", 5 * GIB, job(snapshot, 4711), false),
                    user(812, "Xorg", GIB / 8, Optional.empty(), false),
                    user(900, "python", GIB, Optional.empty(), false))),
            OptionalLong.of(17 * GIB)));
    seen.put(
        1,
        new Overruns.Seen(
            Optional.of(
                List.of(
                    user(31000, "data-loader-long", 2 * GIB, job(snapshot, 99), false),
                    user(31001, "data-loader-long", 2 * GIB, job(snapshot, 99), false),
                    user(31002, "data-loader-long", GIB, job(snapshot, 99), false),
                    user(31003, "stray", GIB, job(snapshot, 4711), false))),
            OptionalLong.empty()));
    return Overruns.of(snapshot, snapshot, seen);
  }

  public static Optional<Job> job(RegionSnapshot snapshot, long id) {
    return snapshot.jobs().stream().filter(job -> job.id() == id).findFirst();
  }

  public static GpuUser user(int pid, String name, long bytes, Optional<Job> job, boolean asks) {
    return new GpuUser(pid, name, OptionalLong.of(bytes), job, asks, "");
  }

  public static RegionSnapshot damaged() {
    return snapshot(
        List.of(), List.of(), List.of(), List.of(), List.of("job record 3: mode 9: left out"));
  }

  public static RegionSnapshot snapshot(
      List<Device> devices,
      List<Job> jobs,
      List<Client> clients,
      List<Waiter> waiters,
      List<String> damage) {
    return snapshot(devices, jobs, clients, waiters, List.of(), List.of(), damage);
  }

  private static RegionSnapshot snapshot(
      List<Device> devices,
      List<Job> jobs,
      List<Client> clients,
      List<Waiter> waiters,
      List<Lane> lanes,
      List<Turn> turns,
      List<String> damage) {
    return new RegionSnapshot(
        1,
        Optional.of(Policy.PRIORITY_FIFO),
        64,
        Optional.of(DeadlockRule.AVOID),
        5,
        6,
        7,
        8,
        9,
        10,
        devices,
        jobs,
        clients,
        waiters,
        lanes,
        turns,
        List.of(),
        damage);
  }

  private static SortedMap<Integer, Long> budgets(long first, long second) {
    return new TreeMap<>(Map.of(0, first, 1, second));
  }

  public static Job job(
      int record,
      JobKind kind,
      long id,
      int uid,
      Mode mode,
      int priority,
      Map<Integer, Long> budgets,
      Map<Integer, Long> held) {
    return new Job(
        record,
        kind,
        id,
        uid,
        "train",
        mode,
        1,
        !held.isEmpty(),
        priority,
        false,
        false,
        false,
        0,
        -1,
        new TreeMap<>(budgets),
        new TreeMap<>(held),
        new TreeMap<>(),
        new TreeMap<>(),
        JobFigures.of(0, 0, 0),
        Refusals.NONE);
  }

  public static Job withOverrun(Job job, Map<Integer, Long> overruns) {
    return new Job(
        job.record(),
        job.kind(),
        job.id(),
        job.uid(),
        job.name(),
        job.mode(),
        job.processes(),
        job.admitted(),
        job.priority(),
        job.ending(),
        job.owned(),
        job.dead(),
        job.begunNs(),
        job.waitNs(),
        job.budgetBytes(),
        job.heldBytes(),
        new TreeMap<>(overruns),
        job.peakBytes(),
        job.figures(),
        job.refusals());
  }

  /** The same job with another begin. */
  public static Job begun(Job job, long begunNs) {
    return new Job(
        job.record(),
        job.kind(),
        job.id(),
        job.uid(),
        job.name(),
        job.mode(),
        job.processes(),
        job.admitted(),
        job.priority(),
        job.ending(),
        job.owned(),
        job.dead(),
        begunNs,
        job.waitNs(),
        job.budgetBytes(),
        job.heldBytes(),
        job.overrunBytes(),
        job.peakBytes(),
        job.figures(),
        job.refusals());
  }

  public static Client client(
      int record, int job, int pid, Map<Integer, Long> contexts, long leased, long inUse) {
    return new Client(
        record,
        Optional.of(job),
        pid,
        4026531836L,
        new TreeMap<>(contexts),
        new TreeMap<>(Map.of(0, leased)),
        new TreeMap<>(Map.of(0, inUse)));
  }

  public static Waiter waiter(
      int client,
      int job,
      Request request,
      int place,
      long ticket,
      long bytes,
      List<Integer> devices,
      long seconds) {
    return new Waiter(
        client,
        job,
        0,
        devices,
        request,
        50,
        place == 0,
        place,
        ticket,
        bytes,
        NOW - seconds * SECOND,
        ticket == 5 ? Optional.of(NOW + SECOND) : Optional.empty(),
        ticket == 5 ? 3 : 0);
  }
}
