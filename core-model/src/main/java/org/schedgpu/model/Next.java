package org.schedgpu.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Who is next in a queue. */
final class Next {
  private final Node node;
  private final Fits fits;

  Next(Node node) {
    this.node = node;
    fits = Fits.now(node);
  }

  Optional<Waiter> in(Queue queue) {
    List<Waiter> waiting = node.in(queue);
    if (waiting.isEmpty()) {
      return Optional.empty();
    }
    Waiter oldest = waiting.get(0);
    if (node.overtakeLimit > 0 && oldest.overtaken >= node.overtakeLimit) {
      return atTheBound(oldest, waiting, queue);
    }
    return holder(waiting, queue).or(() -> byPolicy(waiting));
  }

  private Optional<Waiter> atTheBound(Waiter oldest, List<Waiter> waiting, Queue queue) {
    if (fits.fits(oldest)) {
      return Optional.of(oldest);
    }
    boolean inVain = !new Deadlock(node).servedOnceOthersEnd(oldest) || fits.needIsFree(oldest);
    return inVain ? holder(waiting, queue) : Optional.empty();
  }

  /** The oldest that holds memory and fits: those before it wait for what it holds. */
  private Optional<Waiter> holder(List<Waiter> waiting, Queue queue) {
    return queue.type() == Queue.Type.MEMORY
        ? first(waiting.stream().filter(Waiter::isOndemandMemory).filter(this::isHolder).toList())
        : Optional.empty();
  }

  private boolean isHolder(Waiter waiter) {
    boolean byJob = node.rule == DeadlockRule.AVOID && waiter.job.declaredOndemand();
    return waiter.client.usesMemory() || (byJob && Accounts.of(node).holdsMemory(waiter.job));
  }

  private Optional<Waiter> byPolicy(List<Waiter> waiting) {
    return switch (node.policy) {
      case FIFO -> first(waiting.subList(0, 1));
      case MMU -> first(waiting);
      case PRIORITY_FIFO -> first(ofPriority(highest(waiting), waiting));
      case PRIORITY_MMU -> {
        List<Waiter> fitting = waiting.stream().filter(fits::fits).toList();
        yield fitting.isEmpty() ? Optional.empty() : first(ofPriority(highest(fitting), fitting));
      }
    };
  }

  /** The oldest that fits. */
  private Optional<Waiter> first(List<Waiter> waiting) {
    return waiting.stream().filter(fits::fits).findFirst();
  }

  private static List<Waiter> ofPriority(int priority, List<Waiter> waiting) {
    return waiting.stream().filter(waiter -> waiter.job.spec.priority() == priority).toList();
  }

  private static int highest(List<Waiter> waiting) {
    return waiting.stream()
        .map(waiter -> waiter.job.spec.priority())
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }
}
