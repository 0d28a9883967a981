package org.schedgpu.gres.rollout;

import java.util.List;

/** What a rollout does next. */
sealed interface Step {
  /** Write down who holds which node. */
  record Note(List<NodeRecord> nodes, String line) implements Step {}

  /** Drain nodes that are written down as ours. */
  record Drain(List<String> nodes) implements Step {}

  /** Look again later: jobs hold GPUs. */
  record AwaitJobs(RemainingJobs who) implements Step {}

  /** Put the files in place. */
  record ChangeFiles() implements Step {}

  /** Bring the files to the nodes. */
  record Distribute(List<String> nodes) implements Step {}

  /** Another phase begins. */
  record Enter(Phase phase, String line) implements Step {}

  /** Restart slurmctld. It was seen in this very look that no job is hurt. */
  record RestartController() implements Step {}

  /** Look again later: slurmctld is not yet restarted. */
  record AwaitController() implements Step {}

  /** Restart the slurmd of nodes. */
  record RestartSlurmds(List<String> nodes) implements Step {}

  /** Look again later: nodes are not yet right. */
  record AwaitNodes(List<String> nodes, String first) implements Step {}

  /** Give a node back that is ours. */
  record Resume(String node) implements Step {}

  /** A node needs nothing more. */
  record Close(String node, String note) implements Step {}

  /** A person has to look; the rollout stays open. */
  record Stop(String problem, String action) implements Step {}

  /** All is done. */
  record Finish() implements Step {}
}
