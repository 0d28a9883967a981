package org.schedgpu.agent.forecast;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.schedgpu.jna.DeadlockRule;
import org.schedgpu.jna.Forecast.Reason;
import org.schedgpu.jna.Forecast.Why;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.Refusals;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** One device of 16 GiB, jobs that hold their budgets or wait for them, and a queue by age. */
public final class Queues {
  public static final long GIB = 1L << 30;
  public static final long MINUTE = 60_000_000_000L;
  public static final long NOW = 1000 * MINUTE;
  public static final int ROOT = 0;
  public static final int ALICE = 1000;
  public static final int BOB = 1001;

  private final List<Job> jobs = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private Policy policy = Policy.FIFO;

  public Queues policy(Policy other) {
    policy = other;
    return this;
  }

  /** A job that has held so much for so long. */
  public Queues holds(long id, int uid, long gib, long minutes) {
    add(id, uid, gib, minutes, true);
    return this;
  }

  /** A job that has waited for so much for so long. */
  public Queues waits(long id, int uid, long gib, long minutes) {
    return waits(id, uid, gib, minutes, Optional.empty());
  }

  /** A request that gives up after this many minutes. */
  public Queues waits(long id, int uid, long gib, long minutes, Optional<Long> givesUp) {
    int record = add(id, uid, gib, minutes, false);
    waiters.add(
        new Waiter(
            record,
            record,
            0,
            List.of(0),
            Request.PEAK,
            50,
            false,
            waiters.size() + 1,
            id,
            GIB,
            NOW - minutes * MINUTE,
            givesUp.map(m -> NOW + m * MINUTE),
            0));
    return this;
  }

  private int add(long id, int uid, long gib, long minutes, boolean holds) {
    int record = jobs.size();
    Map<Integer, Long> budget = Map.of(0, gib * GIB);
    jobs.add(
        new Job(
            record,
            JobKind.SLURM,
            id,
            uid,
            "train",
            Mode.PEAK,
            1,
            true,
            50,
            false,
            false,
            false,
            NOW - minutes * MINUTE,
            -1,
            new TreeMap<>(budget),
            new TreeMap<>(holds ? budget : Map.of()),
            new TreeMap<>(),
            new TreeMap<>(),
            JobFigures.of(0, 0, 0),
            Refusals.NONE));
    clients.add(
        new Client(
            record,
            Optional.of(record),
            100 + record,
            1,
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(holds ? Map.of(0, gib * GIB / 2) : Map.of())));
    return record;
  }

  public RegionSnapshot snapshot() {
    long used =
        jobs.stream()
            .flatMap(j -> j.heldBytes().values().stream())
            .mapToLong(Long::longValue)
            .sum();
    return new RegionSnapshot(
        5,
        Optional.of(policy),
        64,
        Optional.of(DeadlockRule.AVOID),
        0,
        0,
        0,
        0,
        0,
        0,
        List.of(new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, 0, used, 0)),
        jobs,
        clients,
        waiters,
        List.of(),
        List.of());
  }

  /** A queue by age without overtaking. */
  public QueueFuture future() {
    return new ByAge();
  }

  private final class ByAge implements QueueFuture {
    private final Map<Long, Job> waiting = new LinkedHashMap<>();
    private final Set<Long> told;
    private long freeBytes;

    ByAge() {
      freeBytes = 16 * GIB;
      jobs.forEach(job -> freeBytes -= job.heldBytes().getOrDefault(0, 0L));
      waiters.forEach(waiter -> waiting.put(waiter.ticket(), jobs.get(waiter.job())));
      told = new LinkedHashSet<>(waiting.keySet());
    }

    @Override
    public Optional<Reason> reason(long ticket) {
      boolean first = waiting.keySet().iterator().next() == ticket;
      return Optional.of(
          first
              ? new Reason(Why.MEMORY, 0, OptionalLong.empty())
              : new Reason(Why.OLDER, 0, OptionalLong.of(waiting.keySet().iterator().next())));
    }

    @Override
    public void end(Job job, long nowNs) {
      if (!waiting.values().remove(job)) {
        freeBytes += job.budgetBytes().get(0);
      }
      serve();
    }

    @Override
    public void giveUp(long ticket, long nowNs) {
      waiting.remove(ticket);
      serve();
    }

    @Override
    public void pass(long nowNs) {
      serve();
    }

    private void serve() {
      var each = waiting.values().iterator();
      while (each.hasNext()) {
        long bytes = each.next().budgetBytes().get(0);
        if (bytes > freeBytes) {
          return;
        }
        freeBytes -= bytes;
        each.remove();
      }
    }

    @Override
    public long[] left() {
      long[] left = told.stream().filter(t -> !waiting.containsKey(t)).mapToLong(t -> t).toArray();
      told.retainAll(waiting.keySet());
      return left;
    }

    @Override
    public void close() {}
  }
}
