package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/**
 * The state of the cluster at one moment. Nodes are asked last and in one request: their state and
 * GPUs in use belong to the same moment, so a drained node without GPUs in use cannot get any
 * later.
 */
record ClusterSnapshot(StartTimes starts, List<LiveJob> jobs, Map<String, LiveNode> nodes) {

  static ClusterSnapshot at(Controller controller, StartTimes.Source starts) {
    StartTimes times = starts.now();
    List<LiveJob> jobs = controller.jobs();
    Map<String, LiveNode> nodes =
        controller.nodes().stream()
            .collect(
                Collectors.toMap(
                    LiveNode::name, Function.identity(), (a, b) -> b, LinkedHashMap::new));
    return new ClusterSnapshot(times, jobs, nodes);
  }

  Optional<LiveNode> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /**
   * The jobs that hold GPUs of a node. A job with --exclusive holds all of them although it does
   * not ask for any. So if GPUs are in use and no job asks for them, all jobs of the node are
   * returned; if it has none, the result names hidden jobs.
   */
  List<String> gpuJobs(String node) {
    List<LiveJob> here =
        jobs.stream().filter(job -> job.isOnNode() && job.nodes().contains(node)).toList();
    List<LiveJob> found = here.stream().filter(LiveJob::usesGpu).toList();
    LiveNode live = nodes.get(node);
    boolean unknown = live != null && live.gresUsed().isEmpty() && !live.gres().isEmpty();
    boolean used = live != null && Gpus.of(live.gresUsed()).total() > 0;
    if (found.isEmpty() && (used || unknown)) {
      found = here;
    }
    List<String> names = new ArrayList<>();
    found.forEach(job -> names.add("%d %s %s".formatted(job.id(), job.user(), job.state())));
    if (names.isEmpty() && used) {
      names.add("jobs that are not shown (" + live.gresUsed() + ")");
    }
    return names;
  }
}
