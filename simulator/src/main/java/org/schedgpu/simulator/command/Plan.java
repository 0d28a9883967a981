package org.schedgpu.simulator.command;

import java.util.List;
import org.schedgpu.simulator.answer.Answer;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.input.Jobs;
import org.schedgpu.simulator.input.Nodes;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;
import org.schedgpu.simulator.result.Sweep;

/**
 * What is to be played.
 *
 * @param playable jobs that can run on the cluster, in the order of submission
 * @param scenarios beside one job per GPU
 * @param seed of the uncertainty
 * @param read what the input had of jobs
 * @param nodes what it had of nodes
 * @param assumptions what the input does not know
 */
record Plan(
    List<Job> playable,
    Settings settings,
    List<Scenario> scenarios,
    long seed,
    Jobs read,
    Nodes nodes,
    List<String> assumptions) {

  Sweep sweep(int threads) {
    return new Sweep(playable, settings, seed, threads);
  }

  /** The answer, once all was played. */
  Answer answer(List<Summary> summaries) {
    List<NodeSpec> played = settings.nodes();
    return new Answer(
        playable.size(),
        played.size(),
        played.stream().mapToInt(NodeSpec::gpus).sum(),
        read.read(),
        read.leftOut().reasons(),
        nodes.read(),
        nodes.leftOut().reasons(),
        nodes.down(),
        assumptions,
        summaries,
        Recommendation.of(summaries));
  }
}
