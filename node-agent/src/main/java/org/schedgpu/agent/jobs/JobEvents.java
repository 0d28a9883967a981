package org.schedgpu.agent.jobs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.schedgpu.agent.jobs.EventLines.Event;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * Derives the events of jobs from two snapshots of the region, one line each. A job that is in
 * neither snapshot is known by its end, which the region remembers; a wait that is in neither is
 * missed. Many events at once share lines ({@link EventLines}).
 */
final class JobEvents {
  private final JobLines lines;
  private final long sinceNs;
  private Map<Begun, Job> jobs = Map.of();
  private Map<Long, Wait> waits = Map.of();
  private boolean first = true;
  private long createdNs;
  private long lastEnded;

  private record Wait(Job job, Waiter waiter) {}

  /** The same number with another begin is another job. */
  private record Begun(JobKind kind, long id, long begunNs) {}

  /**
   * @param users name of a user by number
   * @param sinceNs when the log begins, in the time of {@link RegionSnapshot#nowNs}
   */
  JobEvents(IntFunction<String> users, long sinceNs) {
    lines = new JobLines(users);
    this.sinceNs = sinceNs;
  }

  /** The number of the last job whose end was reported; the next snapshot starts after it. */
  long lastEnded() {
    return lastEnded;
  }

  /** The events since the last snapshot. Jobs in the first snapshot are reported as found. */
  List<String> changes(RegionSnapshot now, long nowNs) {
    List<EndedJob> ended = newlyEnded(now);
    Map<Begun, Job> jobsNow = jobs(now);
    Map<Long, Wait> waitsNow = waits(now);
    Shares shares = new Shares(now);
    List<Event> found = new ArrayList<>();
    waits.forEach(
        (ticket, wait) -> {
          if (!waitsNow.containsKey(ticket)) {
            long held = held(jobsNow, shares, wait);
            found.add(lines.waited(wait.job(), wait.waiter(), held, nowNs));
          }
        });
    addEnds(ended, jobsNow, nowNs, found);
    jobsNow.forEach(
        (key, job) -> {
          if (!jobs.containsKey(key)) {
            found.add(lines.begin(first ? "found" : "begin", job));
          }
        });
    waitsNow.forEach(
        (ticket, wait) -> {
          if (!waits.containsKey(ticket)) {
            found.add(lines.waits(wait.job(), wait.waiter(), shares));
          }
        });
    jobs = jobsNow;
    waits = waitsNow;
    first = false;
    return EventLines.of(found);
  }

  /**
   * Leaves out jobs that ended before the log began. Returns none if the region's count of ended
   * jobs has restarted.
   */
  private List<EndedJob> newlyEnded(RegionSnapshot now) {
    boolean another = now.createdNs() != createdNs;
    long after = another ? 0 : lastEnded;
    List<EndedJob> ended = now.ended();
    createdNs = now.createdNs();
    lastEnded = ended.isEmpty() ? after : ended.get(ended.size() - 1).sequence();
    if (first) {
      return ended.stream().filter(job -> job.endedNs() >= sinceNs).toList();
    }
    return lastEnded < after
        ? List.of()
        : ended.stream().filter(job -> job.sequence() > after).toList();
  }

  /** What the job holds now where it waited; nothing if it no longer exists. */
  private static long held(Map<Begun, Job> jobsNow, Shares shares, Wait wait) {
    Job job = jobsNow.get(begun(wait.job()));
    return job == null ? 0 : shares.of(job, wait.waiter().device()).heldBytes();
  }

  private void addEnds(
      List<EndedJob> ended, Map<Begun, Job> jobsNow, long nowNs, List<Event> found) {
    Set<Begun> told = new HashSet<>();
    for (EndedJob job : ended) {
      Begun key = new Begun(job.kind(), job.id(), job.begunNs());
      if (!jobs.containsKey(key)) {
        found.add(lines.begin(job));
      }
      found.add(lines.end(job));
      told.add(key);
    }
    jobs.forEach(
        (key, job) -> {
          if (!jobsNow.containsKey(key) && !told.contains(key)) {
            found.add(lines.gone(job, nowNs));
          }
        });
  }

  private static Begun begun(Job job) {
    return new Begun(job.kind(), job.id(), job.begunNs());
  }

  private static Map<Begun, Job> jobs(RegionSnapshot now) {
    Map<Begun, Job> jobs = new LinkedHashMap<>();
    now.jobs().forEach(job -> jobs.put(begun(job), job));
    return jobs;
  }

  private static Map<Long, Wait> waits(RegionSnapshot now) {
    Map<Long, Wait> waits = new LinkedHashMap<>();
    for (Waiter waiter : now.waiters()) {
      Optional<Job> job = now.job(waiter.job());
      if (!waiter.granted() && job.isPresent()) {
        waits.put(waiter.ticket(), new Wait(job.get(), waiter));
      }
    }
    return waits;
  }
}
