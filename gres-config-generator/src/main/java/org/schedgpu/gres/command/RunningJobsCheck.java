package org.schedgpu.gres.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.GpuCounts;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.rollout.Gpus;

/**
 * Rejects new files while GPU jobs run on nodes whose count changes. From Slurm 23.11 on, a
 * scontrol reconfigure by any user then applies the new count at once, and kills those jobs.
 */
final class RunningJobsCheck {
  private RunningJobsCheck() {}

  /**
   * Asks slurmctld.
   *
   * @param gresByNode the new Gres= of each node
   * @throws GresException if there are such jobs, or slurmctld does not answer
   */
  static void refuse(Controller controller, Map<String, String> gresByNode) {
    Optional<SlurmVersion> version = controller.slurmVersion().map(SlurmVersion::parse);
    if (version.isEmpty() || !version.get().reconfigureTakesCounts()) {
      return;
    }
    Set<String> busy = new HashSet<>();
    controller.jobs().stream().filter(LiveJob::usesGpu).forEach(job -> busy.addAll(job.nodes()));
    List<String> found = new ArrayList<>();
    for (LiveNode node : controller.nodes()) {
      String after = gresByNode.get(node.name());
      boolean changes = after != null && !GpuCounts.same(node.gres(), after);
      // A job with --exclusive has all GPUs although it does not ask for any.
      boolean used = Gpus.of(node.gresUsed()).total() > 0;
      if (changes && (used || busy.contains(node.name()))) {
        found.add(node.name());
      }
    }
    if (!found.isEmpty()) {
      throw new GresException(
          "GPU jobs run on %s, whose count changes: with the files in place the next scontrol"
                  .formatted(Hostlist.compress(found))
              + " reconfigure, whoever calls it, kills and requeues them (Slurm "
              + version.get()
              + ")",
          "drain the nodes and wait, as schedgpu gres rollout does, or repeat with"
              + " --while-jobs-run");
    }
  }
}
