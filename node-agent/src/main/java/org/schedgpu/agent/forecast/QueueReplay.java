package org.schedgpu.agent.forecast;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Runs the queues ahead once: jobs end one after the other, and the core serves the waiters. */
final class QueueReplay {
  private static final long NEVER = Long.MAX_VALUE;

  private final RegionSnapshot snapshot;
  private final QueueFuture future;
  private final ToLongFunction<Job> restNs;
  private final ToLongFunction<Job> latestNs;
  private final long nowNs;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNs).thenComparingInt(Event::number));
  private final Map<Long, Waiter> waiting = new LinkedHashMap<>();
  private final Map<Integer, Set<Long>> waitingOf = new HashMap<>();
  private final Map<Long, Long> servedNs = new HashMap<>();
  private final Set<Long> gaveUp = new HashSet<>();
  private long elapsedNs;
  private int planned;

  private record Event(long atNs, int number, Runnable what) {}

  /**
   * @param restNs what a job still needs once it no longer waits, {@link #NEVER} if it does not end
   * @param latestNs the time from now at which it is ended even if it waits; {@link #NEVER} if
   *     there is none
   */
  QueueReplay(
      RegionSnapshot snapshot,
      QueueFuture future,
      ToLongFunction<Job> restNs,
      ToLongFunction<Job> latestNs,
      long nowNs) {
    this.snapshot = snapshot;
    this.future = future;
    this.restNs = restNs;
    this.latestNs = latestNs;
    this.nowNs = nowNs;
  }

  /** A time that never comes. */
  static long never() {
    return NEVER;
  }

  /**
   * The time from now at which each request is served, by ticket; requests that are never served
   * are left out.
   */
  Map<Long, Long> run() {
    for (Waiter waiter : snapshot.waiters()) {
      if (!waiter.granted()) {
        waiting.put(waiter.ticket(), waiter);
        waitingOf.computeIfAbsent(waiter.job(), job -> new LinkedHashSet<>()).add(waiter.ticket());
        giveUpAtDeadline(waiter);
      }
    }
    snapshot.jobs().forEach(job -> at(latestNs.applyAsLong(job), () -> end(job)));
    at(0, () -> future.pass(nowNs));
    at(snapshot.graceNs(), () -> future.pass(nowNs + snapshot.graceNs()));
    snapshot.jobs().stream()
        .filter(job -> !waitingOf.containsKey(job.record()))
        .forEach(this::goOn);
    while (!events.isEmpty() && !waiting.isEmpty()) {
      Event event = events.poll();
      elapsedNs = event.atNs();
      event.what().run();
      noteServed();
    }
    return servedNs;
  }

  private void at(long atNs, Runnable what) {
    if (atNs != NEVER && atNs >= 0) {
      events.add(new Event(atNs, planned++, what));
    }
  }

  private void giveUpAtDeadline(Waiter waiter) {
    waiter
        .deadlineNs()
        .ifPresent(deadline -> at(Math.max(0, deadline - nowNs), () -> giveUp(waiter)));
  }

  private void giveUp(Waiter waiter) {
    if (waiting.containsKey(waiter.ticket())) {
      gaveUp.add(waiter.ticket());
      future.giveUp(waiter.ticket(), nowNs + elapsedNs);
    }
  }

  /** Its requests that still wait end before they are served. */
  private void end(Job job) {
    gaveUp.addAll(waitingOf.getOrDefault(job.record(), Set.of()));
    future.end(job, nowNs + elapsedNs);
  }

  /** A request that no longer waits was served, unless it gave up. Its job then runs to its end. */
  private void noteServed() {
    SortedSet<Integer> waitNoMore = new TreeSet<>(); // in the order of the jobs
    for (long ticket : future.left()) {
      Waiter waiter = waiting.remove(ticket);
      if (waiter == null) {
        continue;
      }
      if (!gaveUp.contains(ticket)) {
        servedNs.put(ticket, elapsedNs);
      }
      Set<Long> others = waitingOf.get(waiter.job());
      others.remove(ticket);
      if (others.isEmpty()) {
        waitNoMore.add(waiter.job());
      }
    }
    waitNoMore.forEach(record -> snapshot.job(record).ifPresent(this::goOn));
  }

  private void goOn(Job job) {
    long restOfJobNs = restNs.applyAsLong(job);
    at(restOfJobNs == NEVER ? NEVER : elapsedNs + restOfJobNs, () -> end(job));
  }

  /** As a number in a result. */
  static OptionalLong time(Map<Long, Long> served, long ticket) {
    Long ns = served.get(ticket);
    return ns == null ? OptionalLong.empty() : OptionalLong.of(ns);
  }
}
