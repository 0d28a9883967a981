package org.schedgpu.agent.jobs;

import java.util.Collection;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.schedgpu.agent.jobs.EventLines.Event;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * Formats events of jobs for the log, suitable for grep: a word, then {@code key=value} with job,
 * user, device and bytes.
 */
final class JobLines {
  private final IntFunction<String> users;

  /**
   * @param users name of a user by number
   */
  JobLines(IntFunction<String> users) {
    this.users = users;
  }

  /** The job was registered, or existed before: the word says which. */
  Event begin(String word, Job job) {
    return event(
        word,
        job.reference(),
        () -> facts(job.uid(), job.budgetBytes()) + terms(job.mode(), job.priority()));
  }

  /** The same for a job whose end is already known. */
  Event begin(EndedJob job) {
    return event(
        "begin",
        job.reference(),
        () -> facts(job.uid(), job.budgetBytes()) + terms(job.mode(), job.priority()));
  }

  private static String terms(Mode mode, int priority) {
    return " mode=%s priority=%d".formatted(mode.text(), priority);
  }

  /** It ended. */
  Event end(EndedJob job) {
    return event(
        "end",
        job.reference(),
        () ->
            facts(job.uid(), job.budgetBytes())
                + ended(
                    job.endedNs() - job.begunNs(),
                    job.waitedNs(),
                    job.budgetBytes(),
                    job.peakBytes()));
  }

  /** The job no longer exists, and its end was not recorded. */
  Event gone(Job job, long nowNs) {
    return event(
        "end",
        job.reference(),
        () ->
            facts(job.uid(), job.budgetBytes())
                + ended(nowNs - job.begunNs(), job.waitedNs(), job.budgetBytes(), job.peakBytes()));
  }

  private static String ended(
      long lastedNs,
      long waitedNs,
      SortedMap<Integer, Long> budgetBytes,
      SortedMap<Integer, Long> peakBytes) {
    return " lasted=%s waited=%s peak=%s"
        .formatted(
            seconds(lastedNs),
            seconds(waitedNs),
            list(
                budgetBytes.keySet().stream()
                    .map(device -> peakBytes.getOrDefault(device, 0L))
                    .toList()));
  }

  /** It waits now. */
  Event waits(Job job, Waiter waiter, Shares now) {
    return event(
        "wait",
        job.reference(),
        () -> {
          int pid =
              now.clients(job).stream()
                  .filter(client -> client.record() == waiter.client())
                  .mapToInt(RegionSnapshot.Client::pid)
                  .findFirst()
                  .orElse(0);
          return facts(job, waiter) + " place=%d pid=%d".formatted(waiter.place(), pid);
        });
  }

  /**
   * Served, timed out or gone.
   *
   * @param heldBytes what its job holds there now, which decides between them
   */
  Event waited(Job job, Waiter waiter, long heldBytes, long nowNs) {
    return event(
        "waited",
        job.reference(),
        () ->
            facts(job, waiter)
                + " waited=%s holds=%d".formatted(seconds(nowNs - waiter.sinceNs()), heldBytes));
  }

  private static Event event(String word, String reference, Supplier<String> facts) {
    return new Event(word, reference, () -> word + " job=" + reference + facts.get());
  }

  private String facts(Job job, Waiter waiter) {
    return facts(job.uid(), Integer.toString(waiter.device()), Long.toString(waiter.bytes()));
  }

  private String facts(int uid, SortedMap<Integer, Long> budgetBytes) {
    return facts(uid, list(budgetBytes.keySet()), list(budgetBytes.values()));
  }

  private String facts(int uid, String devices, String bytes) {
    return " user=%s device=%s bytes=%s".formatted(users.apply(uid), devices, bytes);
  }

  private static String list(Collection<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3fs", Math.max(0, ns) / 1e9);
  }
}
