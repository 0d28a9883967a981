package org.schedgpu.agent.wait;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.slurm.SlurmJob;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * CompensateWait: extends the time limit of a job by what it has waited. What the agent means to
 * set is in a file before Slurm hears of it, and is the whole limit, not an increment. So an agent
 * that is killed at any moment extends nothing twice.
 */
final class TimeLimits {
  private static final Logger LOG = LoggerFactory.getLogger(TimeLimits.class);
  private static final String FILE = "limits";
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  /** Shorter waits are not worth a minute. */
  private static final long LEAST_NS = TimeUnit.SECONDS.toNanos(1);

  /** A job that went back into the queue starts after two minutes, or when its owner wants. */
  private static final long ASK_AGAIN_NS = TimeUnit.SECONDS.toNanos(30);

  private final SlurmControl slurm;
  private final RecordFile file;
  private final Supplier<LocalDateTime> clock;
  private Map<Long, LimitRecord> records;
  private boolean changed;

  /** When Slurm is asked again for a run that has ended, by number. */
  private final Map<Long, Long> askNs = new HashMap<>();

  /**
   * @param runDir has the file: neither jobs nor their records outlive a boot
   * @param everybody true if users may read the file, as they may read the region
   */
  TimeLimits(SlurmControl slurm, Path runDir, boolean everybody) {
    this(slurm, runDir, everybody, () -> LocalDateTime.now(ZoneId.systemDefault()));
  }

  TimeLimits(SlurmControl slurm, Path runDir, boolean everybody, Supplier<LocalDateTime> clock) {
    this.slurm = slurm;
    this.file = new RecordFile(runDir.resolve(FILE), everybody ? "rw-r--r--" : "rw-------");
    this.records = read(runDir);
    this.clock = clock;
  }

  private static Map<Long, LimitRecord> read(Path runDir) {
    Map<Long, LimitRecord> records = new LinkedHashMap<>();
    for (String line : new RecordFile(runDir.resolve(FILE), "").lines()) {
      LimitRecord.of(line).ifPresent(record -> records.put(record.id(), record));
    }
    return records;
  }

  /** By how much the limit of each of Slurm's jobs was extended, by number. */
  static Map<Long, Long> extendedNs(Path runDir) {
    Map<Long, Long> extended = new LinkedHashMap<>();
    read(runDir)
        .forEach(
            (id, record) -> {
              long minutes = record.afterMinutes() - record.baseMinutes();
              if (record.baseMinutes() >= 0 && minutes > 0) {
                extended.put(id, minutes * MINUTE_NS);
              }
            });
    return extended;
  }

  /**
   * Looks at the jobs of a snapshot.
   *
   * @param nowNs CLOCK_MONOTONIC
   * @param mostNs by which a limit is extended at most
   * @param attemptNs the time of the attempts
   */
  void look(RegionSnapshot now, long nowNs, long mostNs, Attempts attempts, long attemptNs) {
    Shares shares = new Shares(now);
    Map<Long, LimitRecord> before = records;
    records = new LinkedHashMap<>();
    Set<Long> here = new HashSet<>();
    for (Job job : now.jobs()) {
      LimitRecord known = before.get(job.id());
      if (job.kind() == JobKind.SLURM) {
        here.add(job.id());
        if (known != null && (known.begunNs() == job.begunNs() || known.isExtended())) {
          records.put(job.id(), known);
        }
      }
    }
    before.values().stream()
        .filter(record -> !here.contains(record.id()) && record.isExtended())
        .forEach(record -> records.put(record.id(), record));
    changed = !records.equals(before);
    try {
      for (LimitRecord record : List.copyOf(records.values())) {
        boolean asks = attemptNs >= askNs.getOrDefault(record.id(), attemptNs);
        if (!here.contains(record.id()) && asks) {
          askNs.put(record.id(), attemptNs + ASK_AGAIN_NS);
          attempts.run("slurm:" + record.id(), attemptNs, () -> endRun(record));
        }
      }
      for (Job job : now.jobs()) {
        if (job.kind() == JobKind.SLURM && !job.ending()) {
          JobWait wait = JobWait.of(now, shares, job, nowNs);
          attempts.run(job.reference(), attemptNs, () -> look(job, wait, nowNs, mostNs));
        }
      }
    } finally {
      if (changed) {
        save();
      }
    }
  }

  private void look(Job job, JobWait wait, long nowNs, long mostNs) {
    LimitRecord known = records.get(job.id());
    if (known == null || known.begunNs() != job.begunNs()) {
      known = begin(job, Optional.ofNullable(known)).orElse(null);
    }
    if (known == null || known.baseMinutes() < 0) {
      return;
    }
    LimitRecord looked = known.look(wait.sumNs(), nowNs, wait.forOthers());
    records.put(job.id(), looked);
    boolean unknown = looked.beforeMinutes() != looked.afterMinutes();
    if (unknown || looked.baseMinutes() + extension(looked, mostNs) > looked.afterMinutes()) {
      extend(looked, mostNs);
    }
  }

  /**
   * The limit of a new job, before any node extends it.
   *
   * @param run the one before, which was extended here, and that Slurm requeued
   */
  private Optional<LimitRecord> begin(Job job, Optional<LimitRecord> run) {
    Optional<SlurmJob> asked = slurm.job(job.id()).filter(SlurmJob::isRunning);
    asked.ifPresent(
        one -> {
          long limit = one.limitMinutes().orElse(-1);
          records.put(
              job.id(),
              run.map(before -> before.again(job.begunNs(), limit, start(one)))
                  .orElse(
                      LimitRecord.fresh(job.id(), job.begunNs(), one.nodes(), limit, start(one))));
          changed = true;
        });
    return Optional.ofNullable(records.get(job.id()))
        .filter(record -> record.begunNs() == job.begunNs());
  }

  /**
   * Of a job that is no longer here: if it went back into the queue, its next run has the user's
   * limit, also if that run has begun elsewhere and has not used it up. Its owner may send it back
   * as long as Slurm knows it, so its record stays until then.
   */
  private void endRun(LimitRecord ended) {
    SlurmJob job = slurm.job(ended.id()).orElse(null);
    if (job == null || (job.limitMinutes().isEmpty() && !job.hasEnded())) {
      forget(ended);
    } else if (job.isPending() || (job.isRunning() && isAnother(ended, job))) {
      takeBack(ended, job);
    }
  }

  private static boolean isAnother(LimitRecord ended, SlurmJob job) {
    return ended.start() != 0 && start(job) != 0 && ended.start() != start(job);
  }

  private void takeBack(LimitRecord ended, SlurmJob job) {
    long current = job.limitMinutes().orElseThrow();
    long wanted = ended.without(current);
    if (wanted < current && (job.isPending() || goesOn(job, wanted))) {
      // first on the disk, as taken back: an agent that is killed here takes nothing back twice
      records.put(ended.id(), ended.with(wanted, wanted, wanted));
      save();
      try {
        slurm.limit(job, wanted);
      } catch (AgentException refused) {
        records.put(ended.id(), ended);
        save();
        throw refused;
      }
      LOG.info(
          "limit job=slurm:{} minutes={} was={}: it was requeued", ended.id(), wanted, current);
    }
    forget(ended);
  }

  /** No job is ended by a limit that the agent shortens: one that has run for so long keeps it. */
  private boolean goesOn(SlurmJob job, long limitMinutes) {
    long ranS = clock.get().toEpochSecond(ZoneOffset.UTC) - start(job);
    return ranS >= 0 && ranS < TimeUnit.MINUTES.toSeconds(limitMinutes - 1);
  }

  private void forget(LimitRecord record) {
    records.remove(record.id());
    askNs.remove(record.id());
    changed = true;
  }

  /** As a number; 0: unknown. */
  private static long start(SlurmJob job) {
    try {
      return LocalDateTime.parse(job.start()).toEpochSecond(ZoneOffset.UTC);
    } catch (DateTimeParseException notYet) {
      return 0;
    }
  }

  /**
   * In minutes, rounded up: a job that still waits must not reach its limit before the next look.
   */
  static long extension(LimitRecord record, long mostNs) {
    long ns = Math.min(record.waitedNs(), mostNs);
    return record.waitedNs() < LEAST_NS ? 0 : (ns + MINUTE_NS - 1) / MINUTE_NS;
  }

  private void extend(LimitRecord looked, long mostNs) {
    SlurmJob job = slurm.job(looked.id()).filter(SlurmJob::isRunning).orElse(null);
    if (job == null || job.limitMinutes().isEmpty()) {
      return;
    }
    long current = job.limitMinutes().getAsLong();
    LimitRecord seen = looked.seen(current);
    long wanted = seen.baseMinutes() + extension(seen, mostNs);
    changed = true;
    if (wanted <= current) {
      records.put(seen.id(), seen);
      return;
    }
    records.put(seen.id(), seen.with(seen.baseMinutes(), current, wanted));
    save();
    slurm.limit(job, wanted);
    records.put(seen.id(), seen.with(seen.baseMinutes(), wanted, wanted));
    changed = true;
    LOG.info(
        "limit job=slurm:{} waited={}s minutes={} was={}: the time limit is extended by its waits",
        seen.id(),
        TimeUnit.NANOSECONDS.toSeconds(seen.waitedNs()),
        wanted,
        current);
  }

  private void save() {
    StringBuilder text = new StringBuilder();
    records.values().forEach(record -> text.append(record.line()));
    file.write(text.toString());
    changed = false;
  }
}
