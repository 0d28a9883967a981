package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmPartition;

/**
 * Warns where Slurm suspends jobs (slurm.conf(5), PreemptMode): a suspended job keeps its device
 * memory, and the job for which it was suspended waits for that memory. Changes nothing.
 */
final class Preemption {
  private Preemption() {}

  static void check(SiteEdits site, SitePlan plan) {
    if (!plan.countsChange()) {
      return;
    }
    List<String> places = new ArrayList<>();
    suspends(site.config().setting("PreemptMode")).ifPresent(places::add);
    for (SlurmPartition partition : site.config().partitions()) {
      suspends(partition.setting("PreemptMode"))
          .ifPresent(mode -> places.add(mode + " of partition " + partition.name()));
    }
    if (!places.isEmpty()) {
      site.warn(
          "%s stops jobs, which keep their device memory: a job that preempts one waits for that memory, and neither goes on; use PreemptMode=REQUEUE or CANCEL, or set WaitLimit, which sends the waiting job back"
              .formatted(String.join(", ", places)));
    }
  }

  private static Optional<String> suspends(Optional<Setting> mode) {
    return mode.map(Setting::value)
        .filter(
            value ->
                List.of(value.toUpperCase(Locale.ROOT).split("[,\\s]+")).stream()
                    .anyMatch(word -> word.equals("SUSPEND") || word.equals("GANG")))
        .map(value -> "PreemptMode=" + value);
  }
}
