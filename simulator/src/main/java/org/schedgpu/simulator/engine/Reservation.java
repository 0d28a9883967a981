package org.schedgpu.simulator.engine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.schedgpu.simulator.job.Job;

/**
 * When and where the first job of the queue could begin if every running job ended at its time
 * limit. No job behind it may delay that (EASY backfill).
 *
 * @param atNs the time; Long.MAX_VALUE if the job could never begin
 * @param nodes the nodes that it would get
 */
record Reservation(long atNs, Set<Integer> nodes) {
  static Reservation of(Job job, Placer placer, Iterable<Run> byExpectedEnd, long nowNs) {
    Set<Integer> withRoom = new HashSet<>(placer.nodesWithRoom(job));
    Map<Integer, NodeState> later = new HashMap<>();
    for (Run run : byExpectedEnd) {
      for (Part part : run.parts) {
        if (withRoom.contains(part.node)) {
          continue;
        }
        NodeState node = later.computeIfAbsent(part.node, n -> placer.node(n).copy());
        node.add(run.job, part.deviceMask, -1);
        if (placer.hasRoom(node, job)) {
          withRoom.add(part.node);
        }
      }
      if (withRoom.size() >= job.nodes()) {
        return new Reservation(Math.max(nowNs, run.expectedEndNs()), withRoom);
      }
    }
    return new Reservation(Long.MAX_VALUE, withRoom);
  }

  /** True if a job that began now would end before, by its time limit. */
  boolean isAfter(Job job, long nowNs) {
    return nowNs + job.limitNs() <= atNs;
  }
}
