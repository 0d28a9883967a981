package org.schedgpu.gres.rollout;

import java.util.List;

/** The next action of a rollout. */
sealed interface Step {
  /** Record who drained which node. */
  record Note(List<NodeRecord> nodes, String line) implements Step {}

  /** Drain nodes that the record marks as ours. */
  record Drain(List<String> nodes) implements Step {}

  /** Wait: jobs hold GPUs. */
  record AwaitJobs(RemainingJobs who) implements Step {}

  /** Put the files in place. */
  record ChangeFiles() implements Step {}

  /** Copy the files to the nodes. */
  record Distribute(List<String> nodes) implements Step {}

  /** Enter the next phase. */
  record Enter(Phase phase, String line) implements Step {}

  /** Restart slurmctld. The same snapshot showed that no job would be harmed. */
  record RestartController() implements Step {}

  /** Restart slurmctld once more, with every slurmd restarted. */
  record RestartAgain() implements Step {}

  /** Wait: slurmctld was not restarted yet. */
  record AwaitController() implements Step {}

  /** Restart the slurmd of nodes. */
  record RestartSlurmds(List<String> nodes) implements Step {}

  /** Wait: nodes are not yet in the expected state. */
  record AwaitNodes(List<String> nodes, String first) implements Step {}

  /** Resume a node that this rollout drained. */
  record Resume(String node) implements Step {}

  /** The rollout is finished with a node. */
  record Close(String node, String note) implements Step {}

  /** Stop: a person is needed; the rollout stays open. */
  record Stop(String problem, String action) implements Step {}

  /** All is done. */
  record Finish() implements Step {}
}
