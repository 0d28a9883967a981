package org.schedgpu.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.schedgpu.agent.EventLines.Event;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * What happened to jobs between two pictures of the region, one line each, for grep: a word, then
 * {@code key=value} with job, user, device and bytes. What is shorter than the time between the
 * pictures is not seen. Many at once share lines ({@link EventLines}).
 */
final class JobEvents {
  private final IntFunction<String> users;
  private Map<String, Job> jobs = Map.of();
  private Map<Long, Wait> waits = Map.of();
  private boolean first = true;

  private record Wait(Job job, Waiter waiter) {}

  /**
   * @param users name of a user by number
   */
  JobEvents(IntFunction<String> users) {
    this.users = users;
  }

  /** What is new in this picture. What was there at the first one is said to be found. */
  List<String> changes(RegionSnapshot now, long nowNs) {
    Map<String, Job> jobsNow = jobs(now);
    Map<Long, Wait> waitsNow = waits(now);
    List<Event> found = new ArrayList<>();
    waits.forEach(
        (ticket, wait) -> {
          if (!waitsNow.containsKey(ticket)) {
            found.add(event("waited", wait.job(), waited(now, wait, nowNs)));
          }
        });
    jobs.forEach(
        (key, job) -> {
          if (!jobsNow.containsKey(key)) {
            String lasted = " lasted=" + seconds(nowNs - job.begunNs());
            found.add(event("end", job, facts("end", job) + lasted));
          }
        });
    jobsNow.forEach(
        (key, job) -> {
          if (!jobs.containsKey(key)) {
            found.add(event(first ? "found" : "begin", job, begun(job)));
          }
        });
    waitsNow.forEach(
        (ticket, wait) -> {
          if (!waits.containsKey(ticket)) {
            found.add(event("wait", wait.job(), waits(now, wait)));
          }
        });
    jobs = jobsNow;
    waits = waitsNow;
    first = false;
    return EventLines.of(found);
  }

  private static Event event(String word, Job job, String line) {
    return new Event(word, job.reference(), line);
  }

  /** Another begin of the same number is another job. */
  private static Map<String, Job> jobs(RegionSnapshot now) {
    Map<String, Job> jobs = new LinkedHashMap<>();
    now.jobs().forEach(job -> jobs.put(job.reference() + " " + job.begunNs(), job));
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

  private String begun(Job job) {
    return "%s mode=%s priority=%d"
        .formatted(
            facts(first ? "found" : "begin", job),
            job.mode().name().toLowerCase(Locale.ROOT),
            job.priority());
  }

  private String facts(String event, Job job) {
    return "%s job=%s user=%s device=%s bytes=%s"
        .formatted(
            event,
            job.reference(),
            users.apply(job.uid()),
            list(job.budgetBytes().keySet()),
            list(job.budgetBytes().values()));
  }

  private String waits(RegionSnapshot now, Wait wait) {
    int pid =
        now.clients().stream()
            .filter(client -> client.record() == wait.waiter().client())
            .mapToInt(RegionSnapshot.Client::pid)
            .findFirst()
            .orElse(0);
    return "%s place=%d pid=%d".formatted(facts("wait", wait), wait.waiter().place(), pid);
  }

  /** Served, timed out or gone: what its job holds now tells. */
  private String waited(RegionSnapshot now, Wait wait, long nowNs) {
    int device = wait.waiter().device();
    long held =
        now.jobs().stream()
            .filter(job -> job.reference().equals(wait.job().reference()))
            .mapToLong(job -> new Shares(now).of(job, device).heldBytes())
            .sum();
    return "%s waited=%s holds=%d"
        .formatted(facts("waited", wait), seconds(nowNs - wait.waiter().sinceNs()), held);
  }

  private String facts(String event, Wait wait) {
    return "%s job=%s user=%s device=%d bytes=%d"
        .formatted(
            event,
            wait.job().reference(),
            users.apply(wait.job().uid()),
            wait.waiter().device(),
            wait.waiter().bytes());
  }

  private static String list(java.util.Collection<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3fs", Math.max(0, ns) / 1e9);
  }
}
