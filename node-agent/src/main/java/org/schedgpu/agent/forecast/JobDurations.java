package org.schedgpu.agent.forecast;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.history.HistoryException;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobQuery;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * How long jobs ran: from the history if it may be read, else from the ended jobs in the region.
 * Kept for a minute.
 */
public final class JobDurations {
  private static final long KEEP_NS = TimeUnit.MINUTES.toNanos(1);

  /** The limit on this query, because other users wait for their answers meanwhile. */
  private static final long LOOKUP_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int MAX_RUNS = 100;

  private final Optional<Path> history;
  private final Map<Who, List<Long>> known = new HashMap<>();
  private long readNs;

  private record Who(int uid, String name) {}

  /**
   * @param history file of the history; empty if this user may not read it
   */
  public JobDurations(Optional<Path> history) {
    this.history = history;
  }

  /**
   * Call it while the snapshot is needed.
   *
   * @param nowNs CLOCK_MONOTONIC
   */
  public Durations of(RegionSnapshot snapshot, long nowNs) {
    if (nowNs - readNs > KEEP_NS) {
      known.clear();
      readNs = nowNs;
    }
    Remembered remembered = new Remembered(snapshot);
    return job ->
        known.computeIfAbsent(
            new Who(job.uid(), job.name()),
            who -> {
              List<Long> old = history.map(file -> ofHistory(file, job)).orElse(List.of());
              return old.isEmpty() ? remembered.of(who) : old;
            });
  }

  /** The ended jobs that the region remembers, read once, when first needed. */
  private static final class Remembered {
    private final RegionSnapshot snapshot;
    private Map<Who, List<Long>> ran;

    Remembered(RegionSnapshot snapshot) {
      this.snapshot = snapshot;
    }

    List<Long> of(Who who) {
      if (ran == null) {
        ran = new HashMap<>();
        for (EndedJob ended : snapshot.ended()) {
          ran.computeIfAbsent(new Who(ended.uid(), ended.name()), any -> new ArrayList<>())
              .add(ranNs(ended));
        }
      }
      return ran.getOrDefault(who, List.of());
    }
  }

  private static long ranNs(EndedJob ended) {
    return Math.max(0, ended.endedNs() - ended.begunNs() - ended.waitedNs());
  }

  /** An unreadable history counts as empty, because it only improves estimates. */
  private static List<Long> ofHistory(Path file, Job job) {
    try (HistoryStore store =
        HistoryStore.open(file).map(opened -> opened.limit(LOOKUP_NS)).orElse(null)) {
      return store == null
          ? List.of()
          : store.jobs(JobQuery.all().ofUser(job.uid()).named(job.name()).limit(MAX_RUNS)).stream()
              .filter(record -> record.state() == JobRecord.State.ENDED)
              .map(record -> Math.max(0, record.lastedNs().orElse(0) - record.waitedNs()))
              .toList();
    } catch (HistoryException unreadable) {
      return List.of();
    }
  }
}
