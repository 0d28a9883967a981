package org.schedgpu.papers.paper003;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.schedgpu.papers.remote.NodeModel;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;
import org.schedgpu.papers.remote.QueueRule;
import org.schedgpu.papers.remote.QueueSimulation;

/**
 * The jobs of one seed on both queues.
 *
 * @param seed of the generator
 * @param jobs how many
 * @param remotePercent of them used a remote GPU on the R queue of {@link #NODES} nodes
 * @param byNodes G queue of {@link #NODES} nodes against R queue of so many
 * @param local other ways, on local devices only
 */
record YearOfJobs(
    long seed,
    int jobs,
    double remotePercent,
    Map<Integer, Differences> byNodes,
    Map<LocalWay, LocalWay.Result> local) {
  static final int NODES = 480;
  static final List<Integer> FEWER_NODES = List.of(450, 460, 470, NODES);

  static YearOfJobs play(JobGenerator generator, long seed) {
    List<QueueJob> jobs = generator.jobs(seed);
    QueueOutcome g = QueueSimulation.play(jobs, NODES, NodeModel.tsubame(), QueueRule.G);
    Map<Integer, Differences> byNodes = new TreeMap<>();
    long remote = 0;
    for (int nodes : FEWER_NODES) {
      QueueOutcome r = QueueSimulation.play(jobs, nodes, NodeModel.tsubame(), QueueRule.R);
      byNodes.put(nodes, Differences.of(jobs, g, r));
      remote = r.remoteJobs();
    }
    Map<LocalWay, LocalWay.Result> local = new EnumMap<>(LocalWay.class);
    for (LocalWay way : LocalWay.values()) {
      local.put(way, way.play(jobs, g));
    }
    return new YearOfJobs(seed, jobs.size(), 100.0 * remote / jobs.size(), byNodes, local);
  }

  Differences same() {
    return byNodes.get(NODES);
  }
}
