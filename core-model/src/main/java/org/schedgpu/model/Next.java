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
    Optional<Waiter> bound =
        waiting.stream()
            .filter(w -> isAtTheBound(w) && (fits.fits(w) || keepsOthersBack(w)))
            .findFirst();
    if (bound.isPresent()) {
      return bound.filter(fits::fits);
    }
    return holder(waiting, queue.type()).or(() -> byPolicy(waiting));
  }

  /** Here or in another queue in which it stands: then it is first in all of them. */
  private boolean isAtTheBound(Waiter waiter) {
    return node.overtakeLimit > 0 && waiter.overtaken >= node.overtakeLimit;
  }

  /** What it waits for would be given back by those who do not wait. */
  private boolean keepsOthersBack(Waiter waiter) {
    return !fits.fits(waiter) && new Deadlock(node).waitsForRunning(waiter);
  }

  /** The oldest holder that fits: those before it wait for what it holds. */
  private Optional<Waiter> holder(List<Waiter> waiting, Queue.Type type) {
    return oldestFitting(waiting.stream().filter(w -> isHolder(w, type)).toList());
  }

  private boolean isHolder(Waiter waiter, Queue.Type type) {
    if (type == Queue.Type.CONTEXT) {
      return waiter.job.admitted;
    }
    boolean byJob = waiter.job.hasClaim(node.rule) && Accounts.of(node).holdsMemory(waiter.job);
    boolean holds = waiter.client.usesMemory() || byJob;
    return waiter.isOverflow() || (waiter.isOndemandMemory() && holds);
  }

  private Optional<Waiter> byPolicy(List<Waiter> waiting) {
    return switch (node.policy) {
      case FIFO -> fifo(waiting);
      case MMU -> oldestFitting(waiting);
      case PRIORITY_FIFO -> priorityFifo(waiting);
      case PRIORITY_MMU -> oldestFitting(highestFirst(waiting));
    };
  }

  private Optional<Waiter> oldestFitting(List<Waiter> oldestFirst) {
    return oldestFirst.stream().filter(fits::fits).findFirst();
  }

  private Optional<Waiter> fifo(List<Waiter> waiting) {
    return waiting.stream()
        .filter(w -> fits.fits(w) || keepsOthersBack(w))
        .findFirst()
        .filter(fits::fits);
  }

  private Optional<Waiter> priorityFifo(List<Waiter> waiting) {
    int least =
        waiting.stream()
            .filter(this::keepsOthersBack)
            .mapToInt(Next::priority)
            .max()
            .orElse(Integer.MIN_VALUE);
    return oldestFitting(highestFirst(waiting)).filter(w -> priority(w) >= least);
  }

  /** By priority, among equals by age. */
  private static List<Waiter> highestFirst(List<Waiter> waiting) {
    return waiting.stream().sorted(Comparator.comparing(Next::priority).reversed()).toList();
  }

  private static int priority(Waiter waiter) {
    return waiter.job.spec.priority();
  }
}
