package org.schedgpu.papers.lane;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.schedgpu.papers.phases.Kernels;

/**
 * Plays jobs in lanes of one device, from event to event. The same jobs give the same outcome, bit
 * by bit. Thread-safety: one thread plays one simulation; several may be played at the same time.
 */
public final class LaneSimulation {
  private enum Kind {
    SUBMITTED,
    READY,
    WANTS,
    BEGINS,
    COMPUTES,
    LOOKS
  }

  private record Timer(long atNs, long order, Kind kind, Member member, Lane lane) {}

  private final LaneSettings settings;
  private final List<Member> members;
  private final List<LaneOutcome.JobRun> runs;
  private final Lanes lanes;
  private final Kernels kernels = new Kernels();
  private final List<Member> queue = new ArrayList<>();
  private final Comparator<Member> queueOrder;
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::atNs).thenComparingLong(Timer::order));
  private long nowNs;
  private long timersMade;
  private int admitted;
  private long mostBytes;
  private int mostLanes;

  private LaneSimulation(List<LaneJob> jobs, LaneSettings settings) {
    this.settings = settings;
    this.members =
        IntStream.range(0, jobs.size()).mapToObj(i -> new Member(i, jobs.get(i))).toList();
    this.runs = jobs.stream().map(LaneSimulation::run).toList();
    this.lanes =
        new Lanes(
            settings.capacityBytes(),
            settings.lanes(),
            () ->
                new Turn(
                    settings.policy(),
                    settings.quantumNs(),
                    settings.idleNs(),
                    settings.overtakeLimit()));
    Comparator<Member> byPriority = Comparator.comparingInt(member -> -member.job.priority());
    this.queueOrder =
        settings.policy() == LanePolicy.SRTF
            ? byPriority.thenComparing(LanePolicy.SRTF.order())
            : byPriority;
  }

  private static LaneOutcome.JobRun run(LaneJob job) {
    int iterations = job.work().iterations();
    return new LaneOutcome.JobRun(
        job, new long[iterations], new long[iterations], new long[iterations]);
  }

  /**
   * Plays the jobs to their end.
   *
   * @param jobs of the same arrival: in the order of submission
   * @throws IllegalArgumentException if a job does not fit on the empty device
   */
  public static LaneOutcome play(List<LaneJob> jobs, LaneSettings settings) {
    for (LaneJob job : jobs) {
      long bytes = job.memory().persistentBytes() + job.memory().ephemeralBytes();
      if (bytes > settings.capacityBytes()) {
        throw new IllegalArgumentException(
            "simulator: job %s needs %,d bytes, the device has %,d: leave it out"
                .formatted(job.name(), bytes, settings.capacityBytes()));
      }
    }
    LaneSimulation simulation = new LaneSimulation(jobs, settings);
    simulation.play();
    return new LaneOutcome(
        simulation.runs, simulation.mostBytes, simulation.mostLanes, simulation.kernels.busyNs());
  }

  private void play() {
    for (Member member : members) {
      timer(member.job.arriveNs(), Kind.SUBMITTED, member, null);
    }
    while (!timers.isEmpty() || kernels.count() > 0) {
      long timerNs = timers.isEmpty() ? Long.MAX_VALUE : timers.peek().atNs();
      nowNs = Math.min(timerNs, kernels.nextEndNs());
      kernels.advance(nowNs);
      for (int job : kernels.takeEnded()) {
        iterationEnds(members.get(job));
      }
      while (!timers.isEmpty() && timers.peek().atNs() == nowNs) {
        happens(timers.remove());
      }
    }
  }

  private void timer(long atNs, Kind kind, Member member, Lane lane) {
    timers.add(new Timer(atNs, timersMade++, kind, member, lane));
  }

  private void happens(Timer timer) {
    Member member = timer.member();
    long startupNs = member == null ? 0 : member.job.work().startupNs();
    switch (timer.kind()) {
      case SUBMITTED -> {
        if (settings.exclusive() || startupNs == 0) {
          asksForLane(member);
        } else {
          timer(nowNs + startupNs, Kind.READY, member, null);
        }
      }
      case READY -> asksForLane(member);
      case WANTS -> wants(member);
      case BEGINS -> begins(member);
      case COMPUTES -> computes(member);
      case LOOKS -> looks(timer.lane());
    }
  }

  private void asksForLane(Member member) {
    queue.add(member);
    assignLanes();
  }

  /** All that wait for a lane are tried, in order (Algorithm 1, PROCESSREQUESTS). */
  private void assignLanes() {
    lanes.all().forEach(lane -> lane.turn.account(nowNs));
    queue.sort(queueOrder);
    for (Member member : List.copyOf(queue)) {
      if ((!settings.exclusive() || admitted == 0) && lanes.join(member)) {
        queue.remove(member);
        joins(member);
      }
    }
    mostBytes = Math.max(mostBytes, lanes.usedBytes());
    mostLanes = Math.max(mostLanes, lanes.all().size());
  }

  private void joins(Member member) {
    admitted++;
    if (settings.policy() == LanePolicy.FAIR) {
      double least =
          member.lane.members.stream()
              .filter(other -> other != member)
              .mapToDouble(Member::serviceByShareNs)
              .min()
              .orElse(0);
      member.joinedWithNs = (long) (least * member.job.share());
      member.serviceNs = member.joinedWithNs;
    }
    wantsNext(member, settings.exclusive() ? member.job.work().startupNs() : 0);
  }

  /** Its next iteration, at the earliest after a delay. */
  private void wantsNext(Member member, long delayNs) {
    List<Long> requests = member.job.work().requestsNs();
    long atNs = nowNs + delayNs;
    long wantedNs = requests.isEmpty() ? atNs : requests.get(member.begun);
    runs.get(member.index).wantedNs()[member.begun] = wantedNs;
    if (wantedNs > nowNs || delayNs > 0) {
      timer(Math.max(atNs, wantedNs), Kind.WANTS, member, null);
    } else {
      wants(member);
    }
  }

  private void wants(Member member) {
    Member holder = member.lane.turn.holder();
    Member first = member.lane.turn.begin(member, nowNs);
    takesTurn(first, holder);
    watchIdle(member.lane);
  }

  private void takesTurn(Member first, Member before) {
    if (first != null) {
      boolean switches = before != null && before != first;
      timer(nowNs + (switches ? settings.switchNs() : 0), Kind.BEGINS, first, null);
    }
  }

  private void begins(Member member) {
    runs.get(member.index).beginNs()[member.begun++] = nowNs;
    if (member.job.work().cpuNs() > 0) {
      timer(nowNs + member.job.work().cpuNs(), Kind.COMPUTES, member, null);
    } else {
      computes(member);
    }
  }

  private void computes(Member member) {
    if (member.job.work().gpuNs() > 0) {
      kernels.begin(member.index, member.job.work().gpuNs());
    } else {
      iterationEnds(member);
    }
  }

  private void iterationEnds(Member member) {
    runs.get(member.index).endNs()[member.begun - 1] = nowNs;
    Lane lane = member.lane;
    if (member.begun == member.job.work().iterations()) {
      Member next = lane.turn.leave(member, nowNs);
      lanes.leave(member);
      admitted--;
      takesTurn(next, member);
      assignLanes();
    } else {
      takesTurn(lane.turn.end(nowNs), member);
      wantsNext(member, 0);
    }
    watchIdle(lane);
  }

  /** While a turn is idle and members wait for it, the next one to look is known. */
  private void watchIdle(Lane lane) {
    long lookNs = lane.turn.nextLookNs(nowNs);
    if (lookNs != Long.MAX_VALUE) {
      timer(lookNs, Kind.LOOKS, null, lane);
    }
  }

  private void looks(Lane lane) {
    Member holder = lane.turn.holder();
    takesTurn(lane.turn.look(nowNs), holder);
    watchIdle(lane); // idle for less than it takes: somebody looks again
  }
}
