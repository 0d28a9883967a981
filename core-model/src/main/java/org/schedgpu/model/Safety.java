package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;

/**
 * The banker's condition (Dijkstra, EWD 623): ondemand jobs with a declared budget that hold memory
 * can, one after the other, get all the rest of their budgets.
 */
final class Safety {
  private final Node node;

  Safety(Node node) {
    this.node = node;
  }

  /** Whether the state after the grant of {@code waiter} is safe. */
  boolean safeAfter(Waiter waiter) {
    Accounts after = Accounts.afterGrant(node, waiter);
    List<Job> unfinished = new ArrayList<>();
    for (Job job : node.jobs) {
      if (job.declaredOndemand() && after.holdsMemory(job)) {
        unfinished.add(job);
      }
    }
    List<Job> claiming = List.copyOf(unfinished);
    Endings endings = new Endings(node, after, client -> claiming.stream().noneMatch(client::isOf));
    boolean progress = true;
    while (progress) {
      endings.letAllFinish();
      progress = unfinished.removeIf(job -> finish(job, after, endings));
    }
    return unfinished.isEmpty();
  }

  /** Lets the job finish if its claim is free. */
  private boolean finish(Job job, Accounts after, Endings endings) {
    Accounts free = endings.accounts();
    boolean can = node.devicesOf(job).stream().allMatch(d -> claim(job, d, after) <= free.free(d));
    if (can) {
      endings.finish(client -> client.isOf(job));
    }
    return can;
  }

  private static long claim(Job job, int device, Accounts after) {
    return Math.max(0, job.budget(device) - after.memory(job, device));
  }
}
