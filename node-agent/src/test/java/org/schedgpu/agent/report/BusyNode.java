package org.schedgpu.agent.report;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobSample;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.Refusals;

/**
 * An invented history of a busy node: users with habits, budgets that are too large, first come
 * first served for the memory of each device. The same seed gives the same history.
 */
final class BusyNode implements ReportSource {
  static final long GIB = 1L << 30;
  static final long SECOND_NS = 1_000_000_000L;
  static final long MINUTE_NS = 60 * SECOND_NS;
  static final long HOUR_NS = 60 * MINUTE_NS;
  static final long TOTAL_BYTES = 80 * GIB;

  /** 2026-11-21 12:00 UTC. */
  static final long BEGIN_NS = Instant.parse("2026-11-21T12:00:00Z").getEpochSecond() * SECOND_NS;

  /** The habit of a user: name, user, uid, budget, used part of it, minutes, load. */
  private record Habit(
      String name, String user, int uid, long budgetBytes, double used, double minutes, int load) {}

  private static final List<Habit> HABITS =
      List.of(
          new Habit("bert-finetune", "alice", 1001, 24 * GIB, 0.88, 55, 38),
          new Habit("llm-eval", "alice", 1001, 40 * GIB, 0.93, 25, 45),
          new Habit("resnet-sweep", "bob", 1002, 16 * GIB, 0.32, 35, 22),
          new Habit("jupyter", "carol", 1003, 20 * GIB, 0.17, 140, 4),
          new Habit("md-water", "dave", 1004, 6 * GIB, 0.71, 80, 30),
          new Habit("protein-fold", "erin", 1005, 32 * GIB, 0.81, 45, 35),
          new Habit("render-frames", "frank", 1006, 10 * GIB, 0.55, 12, 40));

  private static final class MadeHistory {
    private final int number;
    private final Habit habit;
    private final int device;
    private final long begunNs;
    private final long runNs;
    private final long peakBytes;
    private long grantedNs = -1;
    private long endNs = -1;

    private MadeHistory(
        int number, Habit habit, int device, long begunNs, long runNs, long peakBytes) {
      this.number = number;
      this.habit = habit;
      this.device = device;
      this.begunNs = begunNs;
      this.runNs = runNs;
      this.peakBytes = peakBytes;
    }
  }

  private final int devices;
  private final long untilNs;
  private final long everyNs;
  private final String deviceName;
  private final List<MadeHistory> jobs = new ArrayList<>();

  /**
   * A node that was busy from {@link #BEGIN_NS} on.
   *
   * @param jobCount number of jobs
   * @param everyNs time between samples
   */
  BusyNode(long seed, int devices, int jobCount, long lengthNs, long everyNs, String deviceName) {
    this.devices = devices;
    this.untilNs = BEGIN_NS + lengthNs;
    this.everyNs = everyNs;
    this.deviceName = deviceName;
    Random random = new Random(seed);
    List<Long> arrivals = new ArrayList<>();
    for (int i = 0; i < jobCount; i++) {
      arrivals.add(BEGIN_NS + (long) (random.nextDouble() * lengthNs));
    }
    arrivals.sort(Comparator.naturalOrder());
    for (int i = 0; i < jobCount; i++) {
      Habit habit = HABITS.get(random.nextInt(HABITS.size()));
      double minutes = habit.minutes() * Math.exp(random.nextGaussian() * 0.5);
      double used = Math.min(1, habit.used() * (0.85 + 0.15 * random.nextDouble()));
      jobs.add(
          new MadeHistory(
              4000 + i,
              habit,
              i % devices,
              arrivals.get(i),
              (long) (minutes * MINUTE_NS),
              (long) (habit.budgetBytes() * used)));
    }
    for (int device = 0; device < devices; device++) {
      admit(device);
    }
  }

  /** An emulated node of two devices and a day, as in the documentation. */
  static BusyNode ofADay() {
    return new BusyNode(7, 2, 84, 24 * HOUR_NS, 30 * SECOND_NS, "Emulated GPU 80G");
  }

  Window window() {
    return new Window(BEGIN_NS, untilNs);
  }

  private void admit(int device) {
    Deque<MadeHistory> queue =
        new ArrayDeque<>(jobs.stream().filter(j -> j.device == device).toList());
    List<MadeHistory> inside = new ArrayList<>();
    long now = BEGIN_NS;
    while (!queue.isEmpty()) {
      MadeHistory next = queue.remove();
      now = Math.max(now, next.begunNs);
      while (heldBytes(inside, now) + next.habit.budgetBytes() > TOTAL_BYTES) {
        long moment = now;
        now = inside.stream().mapToLong(j -> j.endNs).filter(e -> e > moment).min().orElseThrow();
      }
      next.grantedNs = now;
      next.endNs = now + next.runNs;
      inside.add(next);
    }
  }

  private static long heldBytes(List<MadeHistory> jobs, long now) {
    return jobs.stream()
        .filter(job -> job.endNs > now)
        .mapToLong(job -> job.habit.budgetBytes())
        .sum();
  }

  @Override
  public void deviceSamples(Window window, Consumer<DeviceSample> consumer) {
    for (long now = BEGIN_NS; now < untilNs; now += everyNs) {
      for (int device = 0; device < devices; device++) {
        if (window.has(now) && !agentWasDown(now)) {
          consumer.accept(sample(device, now));
        }
      }
    }
  }

  /** For forty minutes there were no samples. */
  private static boolean agentWasDown(long nowNs) {
    long since = nowNs - BEGIN_NS;
    return since > 15 * HOUR_NS && since < 15 * HOUR_NS + 40 * MINUTE_NS;
  }

  private DeviceSample sample(int device, long now) {
    List<MadeHistory> holding =
        jobs.stream()
            .filter(j -> j.device == device && j.grantedNs <= now && now < j.endNs)
            .toList();
    long waiting =
        jobs.stream()
            .filter(j -> j.device == device && j.begunNs <= now && now < j.grantedNs)
            .count();
    long inUse = holding.stream().mapToLong(job -> inUseBytes(job, now)).sum();
    int load = holding.stream().mapToInt(job -> job.habit.load()).sum();
    int flicker = (int) ((now / everyNs * 7919 + device * 31L) % 21) - 10;
    return new DeviceSample(
        now,
        device,
        "GPU-5c6ed5f" + device,
        deviceName,
        TOTAL_BYTES,
        holding.stream().mapToLong(job -> job.habit.budgetBytes()).sum(),
        inUse,
        OptionalLong.of(inUse + GIB / 2 + (load > 0 ? GIB / 4 : 0)),
        OptionalInt.of(Math.max(0, Math.min(100, load == 0 ? 0 : load + flicker))),
        holding.size(),
        (int) waiting);
  }

  private static long inUseBytes(MadeHistory job, long now) {
    double grown = Math.min(1, (now - job.grantedNs) / (double) (6 * MINUTE_NS));
    return (long) (job.peakBytes * (0.35 + 0.65 * grown));
  }

  @Override
  public void jobs(Window window, Consumer<JobRecord> consumer) {
    jobs.stream()
        .filter(job -> job.begunNs < window.untilNs() && job.endNs >= window.fromNs())
        .forEach(job -> consumer.accept(record(job)));
  }

  private JobRecord record(MadeHistory job) {
    boolean runs = job.endNs > untilNs;
    boolean granted = job.grantedNs <= untilNs;
    long waited = granted ? job.grantedNs - job.begunNs : 0;
    TreeMap<Integer, DeviceUse> uses = new TreeMap<>();
    uses.put(
        job.device,
        new DeviceUse(job.habit.budgetBytes(), granted ? job.peakBytes : 0, OptionalLong.of(0)));
    return new JobRecord(
        job.number,
        runs ? JobRecord.State.RUNNING : JobRecord.State.ENDED,
        "slurm",
        job.number,
        job.habit.name(),
        job.habit.uid(),
        job.habit.user(),
        50,
        "peak",
        job.begunNs,
        runs ? OptionalLong.empty() : OptionalLong.of(job.endNs),
        JobFigures.of(
            waited, waited > 0 ? 1 : 0, granted ? Math.min(untilNs, job.endNs) - job.grantedNs : 0),
        refusals(job),
        uses);
  }

  /** The jobs of one name sometimes need more than their budget. */
  private static Refusals refusals(MadeHistory job) {
    boolean more = job.habit.name().equals("protein-fold") && job.number % 2 == 0;
    return more ? new Refusals(1, 12 * GIB) : Refusals.NONE;
  }

  @Override
  public void jobSamples(JobRecord wanted, Consumer<JobSample> consumer) {
    MadeHistory job = jobs.get((int) wanted.row() - 4000);
    for (long now = BEGIN_NS; now < untilNs; now += everyNs) {
      if (now >= job.begunNs && now < job.endNs && !agentWasDown(now)) {
        boolean granted = now >= job.grantedNs;
        consumer.accept(
            new JobSample(
                now,
                job.number,
                job.device,
                granted ? job.habit.budgetBytes() : 0,
                granted ? inUseBytes(job, now) : 0));
      }
    }
  }
}
