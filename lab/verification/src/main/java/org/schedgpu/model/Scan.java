package org.schedgpu.model;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** One candidate scan: it considers each request of a queue once. */
final class Scan {
  /** Of low, normal and high. */
  private static final int SUM_OF_PRIORITIES = 10 + 50 + 90;

  /** Decides whether a request that does not fit blocks the queue. */
  private enum OnNoFit {
    IS_SKIPPED,
    STOPS,
    STOPS_LOWER_PRIORITIES
  }

  private record Look(Waiter waiter, OnNoFit onNoFit) {}

  private final Node node;
  private final Queue queue;
  private final Deque<Look> looks = new ArrayDeque<>();

  /** Blocks lower priorities. */
  private int least = Integer.MIN_VALUE;

  Scan(Node node, Queue queue) {
    this.node = node;
    this.queue = queue;
    List<Waiter> waiting = node.in(queue);
    add(waiting.stream().filter(this::isAtTheBound).toList(), OnNoFit.STOPS);
    add(waiting.stream().filter(this::isHolder).toList(), OnNoFit.IS_SKIPPED);
    addByPolicy(waiting);
  }

  private void add(List<Waiter> waiters, OnNoFit onNoFit) {
    waiters.forEach(waiter -> looks.add(new Look(waiter, onNoFit)));
  }

  private void addByPolicy(List<Waiter> waiting) {
    switch (node.policy) {
      case FIFO -> add(waiting, OnNoFit.STOPS);
      case MMU -> add(waiting, OnNoFit.IS_SKIPPED);
      case PRIORITY_FIFO -> add(highestFirst(waiting), OnNoFit.STOPS_LOWER_PRIORITIES);
      case PRIORITY_MMU -> add(highestFirst(waiting), OnNoFit.IS_SKIPPED);
      case HPFW -> add(highestFirst(waiting), OnNoFit.STOPS);
      case SM_HPFW -> add(highestFirst(smallestFirst(waiting)), OnNoFit.STOPS);
      case RBDM -> add(firstReadyFirst(waiting), OnNoFit.STOPS);
      case RBDM_HPFW -> addReadyFirst(waiting, highestFirst(waiting));
      case RBDM_SM_HPFW -> addReadyFirst(waiting, highestFirst(smallestFirst(waiting)));
    }
  }

  /** Those whose reservation is complete in this order, then the others as it will be. */
  private void addReadyFirst(List<Waiter> waiting, List<Waiter> ordered) {
    add(ordered.stream().filter(this::isReady).toList(), OnNoFit.STOPS);
    List<Waiter> others = waiting.stream().filter(waiter -> !isReady(waiter)).toList();
    add(firstReadyFirst(others), OnNoFit.STOPS);
  }

  /** The next request that fits and is not blocked; empty at the end of the scan. */
  Optional<Waiter> next() {
    while (!looks.isEmpty()) {
      Look look = looks.remove();
      Waiter waiter = look.waiter();
      if (!waiter.standsIn(queue) || priority(waiter) < least) {
        continue;
      }
      if (FitRules.now(node).fits(waiter)) {
        return Optional.of(waiter);
      }
      if (look.onNoFit() != OnNoFit.IS_SKIPPED && blocks(waiter)) {
        block(look);
      }
    }
    return Optional.empty();
  }

  private void block(Look look) {
    if (look.onNoFit() == OnNoFit.STOPS) {
      looks.clear();
    } else {
      least = priority(look.waiter());
    }
  }

  /** True if the running processes alone could release what this request waits for. */
  private boolean blocks(Waiter waiter) {
    return new Deadlock(node).waitsForRunning(waiter);
  }

  /**
   * In this queue or in another that contains it: such a request then goes first in all of its
   * queues.
   */
  private boolean isAtTheBound(Waiter waiter) {
    return node.overtakeLimit > 0 && waiter.overtaken >= node.overtakeLimit;
  }

  /** True if the requests ahead of it wait for memory that its own process holds. */
  private boolean isHolder(Waiter waiter) {
    if (queue.type() == Queue.Type.CONTEXT) {
      return waiter.job.admitted;
    }
    boolean byJob = waiter.job.hasClaim(node.rule) && Sums.of(node).holdsMemory(waiter.job);
    boolean holds = waiter.client.usesMemory() || byJob;
    return waiter.isOverflow() || (waiter.isOndemandMemory() && holds);
  }

  /** By priority; requests of the same priority by age. */
  private static List<Waiter> highestFirst(List<Waiter> waiting) {
    return waiting.stream().sorted(Comparator.comparing(Scan::priority).reversed()).toList();
  }

  /** By size, among equals by age. */
  private List<Waiter> smallestFirst(List<Waiter> waiting) {
    return waiting.stream().sorted(Comparator.comparing(this::size)).toList();
  }

  /** The same in each queue in which the request stands. */
  private long size(Waiter waiter) {
    return waiter.needsBudget()
        ? node.devicesOf(waiter.job).stream().mapToLong(waiter::needWithBudget).sum()
        : waiter.bytes;
  }

  /** By the cycle in which the reservation is complete, then by priority, then by age. */
  private List<Waiter> firstReadyFirst(List<Waiter> waiting) {
    return highestFirst(waiting).stream().sorted(Comparator.comparing(this::readyCycle)).toList();
  }

  private boolean isReady(Waiter waiter) {
    return cycle(node.ticket) >= readyCycle(waiter);
  }

  private long readyCycle(Waiter waiter) {
    int priority = Math.max(priority(waiter), 1);
    return cycle(waiter.ticket) + (long) Math.ceil((double) SUM_OF_PRIORITIES / priority);
  }

  /** A cycle lasts for as many requests as there are devices. */
  private long cycle(long ticket) {
    return ticket / node.devices.size();
  }

  private static int priority(Waiter waiter) {
    return waiter.job.spec.priority();
  }
}
