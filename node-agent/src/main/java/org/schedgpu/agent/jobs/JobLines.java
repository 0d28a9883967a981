package org.schedgpu.agent.jobs;

import java.util.Collection;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.schedgpu.agent.jobs.EventLines.Event;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.jna.EndedJob;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * How what happens to a job is written in the log, for grep: a word, then {@code key=value} with
 * job, user, device and bytes.
 */
final class JobLines {
  private final IntFunction<String> users;

  /**
   * @param users name of a user by number
   */
  JobLines(IntFunction<String> users) {
    this.users = users;
  }

  /** It was registered, or was there already: the word tells. */
  Event begin(String word, Job job) {
    return begin(
        facts(word, job.reference(), job.uid(), job.budgetBytes()), job.mode(), job.priority());
  }

  /** The same of one whose end is known already. */
  Event begin(EndedJob job) {
    return begin(
        facts("begin", job.reference(), job.uid(), job.budgetBytes()), job.mode(), job.priority());
  }

  private static Event begin(Event facts, Mode mode, int priority) {
    return facts.with(
        " mode=%s priority=%d".formatted(mode.name().toLowerCase(Locale.ROOT), priority));
  }

  /** It ended. */
  Event end(EndedJob job) {
    return facts("end", job.reference(), job.uid(), job.budgetBytes())
        .with(
            ended(
                job.endedNs() - job.begunNs(), job.waitedNs(), job.budgetBytes(), job.peakBytes()));
  }

  /** It is there no more, and nothing remembers how it ended. */
  Event gone(Job job, long nowNs) {
    return facts("end", job.reference(), job.uid(), job.budgetBytes())
        .with(ended(nowNs - job.begunNs(), job.waitedNs(), job.budgetBytes(), job.peakBytes()));
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
  Event waits(Job job, Waiter waiter, RegionSnapshot now) {
    int pid =
        now.clients().stream()
            .filter(client -> client.record() == waiter.client())
            .mapToInt(RegionSnapshot.Client::pid)
            .findFirst()
            .orElse(0);
    return facts("wait", job, waiter).with(" place=%d pid=%d".formatted(waiter.place(), pid));
  }

  /** Served, timed out or gone: what its job holds now tells. */
  Event waited(Job job, Waiter waiter, RegionSnapshot now, long nowNs) {
    long held =
        now.jobs().stream()
            .filter(other -> other.reference().equals(job.reference()))
            .mapToLong(other -> new Shares(now).of(other, waiter.device()).heldBytes())
            .sum();
    return facts("waited", job, waiter)
        .with(" waited=%s holds=%d".formatted(seconds(nowNs - waiter.sinceNs()), held));
  }

  private Event facts(String word, Job job, Waiter waiter) {
    return event(
        word,
        job.reference(),
        job.uid(),
        Integer.toString(waiter.device()),
        Long.toString(waiter.bytes()));
  }

  private Event facts(
      String word, String reference, int uid, SortedMap<Integer, Long> budgetBytes) {
    return event(word, reference, uid, list(budgetBytes.keySet()), list(budgetBytes.values()));
  }

  private Event event(String word, String reference, int uid, String devices, String bytes) {
    return new Event(
        word,
        reference,
        "%s job=%s user=%s device=%s bytes=%s"
            .formatted(word, reference, users.apply(uid), devices, bytes));
  }

  private static String list(Collection<?> values) {
    return values.stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.3fs", Math.max(0, ns) / 1e9);
  }
}
