package org.schedgpu.agent.wait;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/**
 * The stopped jobs for which others wait: Slurm (PreemptMode=SUSPEND, GANG, scontrol suspend) or a
 * signal stopped their programs, and their device memory stays allocated. If Slurm suspended one
 * for the sake of the job that waits, neither ever goes on.
 */
public final class StoppedHolders {
  /** What an administrator can do. */
  public static final String ADVICE =
      "let it go on (scontrol resume, kill -CONT) or end it; PreemptMode=REQUEUE or CANCEL gives"
          + " memory back, SUSPEND and GANG do not";

  /**
   * A stopped job.
   *
   * @param text what it keeps, and how many wait behind it
   */
  public record Holder(Job job, String text) {}

  private StoppedHolders() {}

  /** Those of a snapshot, by device; none if nobody waits. */
  public static List<Holder> of(RegionSnapshot snapshot, Shares shares) {
    List<Holder> found = new ArrayList<>();
    for (Job job : snapshot.jobs()) {
      if (shares.isStopped(job)) {
        snapshot.devices().forEach(device -> add(found, snapshot, shares, job, device.index()));
      }
    }
    return found;
  }

  private static void add(
      List<Holder> found, RegionSnapshot snapshot, Shares shares, Job job, int device) {
    long bytes = shares.of(job, device).takenBytes() + shares.grantedBytes(job, device);
    boolean waitsItself = shares.waiters(job).stream().anyMatch(w -> w.devices().contains(device));
    long behind =
        snapshot.waiters().stream()
            .filter(waiter -> !waiter.granted() && waiter.job() != job.record())
            .filter(waiter -> waiter.devices().contains(device))
            .map(Waiter::job)
            .distinct()
            .count();
    if (behind > 0 && (bytes > 0 || waitsItself)) {
      found.add(
          new Holder(
              job,
              "%s is stopped and %s device %d, for which %s"
                  .formatted(
                      job.reference(),
                      bytes > 0 ? "holds " + Texts.gib(bytes) + " GiB of" : "is in the queue of",
                      device,
                      behind == 1 ? "another job waits" : behind + " other jobs wait")));
    }
  }
}
