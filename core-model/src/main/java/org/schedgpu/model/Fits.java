package org.schedgpu.model;

/** What fits, by given sums. */
final class Fits {
  private final Node node;
  private final Accounts accounts;

  Fits(Node node, Accounts accounts) {
    this.node = node;
    this.accounts = accounts;
  }

  static Fits now(Node node) {
    return new Fits(node, Accounts.of(node));
  }

  /** Whether the request could be granted. */
  boolean fits(Waiter waiter) {
    if (!accounts.admitted(waiter.job)) {
      return admissionFits(waiter.job);
    }
    if (waiter.isContext()) {
      return covered(waiter) || contextFits(waiter.bytes, waiter.device, waiter.job);
    }
    return needIsFree(waiter) && keepsSafe(waiter);
  }

  /** Whether what it asks for is free, beside the contexts that its admission still takes. */
  boolean needIsFree(Waiter waiter) {
    if (!accounts.admitted(waiter.job) && !admissionFits(waiter.job)) {
      return false;
    }
    if (waiter.needsBudget()) {
      return accounts.holds(waiter.job) || budgetFits(waiter.job);
    }
    if (waiter.isContext()) {
      return covered(waiter) || waiter.bytes <= freeBesideAdmission(waiter.job, waiter.device);
    }
    return waiter.bytes <= freeBesideAdmission(waiter.job, waiter.device);
  }

  private long freeBesideAdmission(Job job, int device) {
    long contexts = accounts.contexts(job, device);
    long admitted = Math.max(contexts, job.admissionContexts(node.devices.get(device)));
    return accounts.free(device) - (admitted - contexts);
  }

  private boolean keepsSafe(Waiter waiter) {
    boolean asked =
        node.rule == DeadlockRule.AVOID
            && waiter.isOndemandMemory()
            && waiter.job.declaredOndemand();
    return !asked || new Safety(node).safeAfter(waiter);
  }

  boolean admissionFits(Job job) {
    return node.devicesOf(job).stream()
        .allMatch(d -> contextFits(job.admissionContexts(node.devices.get(d)), d, job));
  }

  /** A context that the job's admission reserved. */
  boolean covered(Waiter waiter) {
    long reserved = waiter.job.admissionContexts(node.devices.get(waiter.device));
    return accounts.contextsOfProcesses(waiter.job, waiter.device) + waiter.bytes <= reserved;
  }

  /** fits_context of the rules. */
  private boolean contextFits(long bytes, int device, Job asking) {
    return bytes <= accounts.free(device)
        && accounts.contexts(device) + bytes + accounts.largestBudget(device, asking)
            <= accounts.usable(device);
  }

  private boolean budgetFits(Job job) {
    return node.devicesOf(job).stream().allMatch(d -> job.budget(d) <= freeBesideAdmission(job, d));
  }
}
