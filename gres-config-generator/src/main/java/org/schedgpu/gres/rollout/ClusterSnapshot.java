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
 * What was seen of the cluster. The nodes are asked last, in one question: state and GPUs in use
 * are of one moment, so that a node which is drained and has none in use can get none.
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
   * Jobs that hold GPUs of a node. A job with --exclusive holds all of them and asks for none: if
   * GPUs are in use and no job says that it has them, every job of the node is meant, and if there
   * is none, somebody unknown.
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
