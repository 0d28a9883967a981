package org.schedgpu.gres.rollout;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Jobs that still hold GPUs of nodes that must become free of GPU jobs: the nodes by job. */
record RemainingJobs(Map<String, TreeSet<String>> nodesByJob) {
  private static final int SHOWN = 4;

  static RemainingJobs of(ClusterSnapshot snapshot, List<NodeRecord> nodes) {
    Map<String, TreeSet<String>> found = new LinkedHashMap<>();
    for (NodeRecord node : nodes) {
      for (String job : snapshot.gpuJobs(node.name())) {
        found.computeIfAbsent(job, j -> new TreeSet<>()).add(node.name());
      }
    }
    return new RemainingJobs(found);
  }

  boolean isEmpty() {
    return nodesByJob.isEmpty();
  }

  boolean isOn(String node) {
    return nodesByJob.values().stream().anyMatch(nodes -> nodes.contains(node));
  }

  /** {@code 2 GPU jobs: 17 alice RUNNING on gpu1, 18 bob SUSPENDED on gpu2}. */
  String text() {
    String some =
        nodesByJob.entrySet().stream()
            .limit(SHOWN)
            .map(job -> job.getKey() + " on " + String.join(" ", job.getValue()))
            .collect(Collectors.joining(", "));
    int count = nodesByJob.size();
    String more = count > SHOWN ? ", and " + (count - SHOWN) + " more" : "";
    return count + (count == 1 ? " GPU job: " : " GPU jobs: ") + some + more;
  }
}
