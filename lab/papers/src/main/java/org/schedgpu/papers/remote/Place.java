package org.schedgpu.papers.remote;

import java.util.List;

/**
 * What a job has on one of its nodes.
 *
 * @param server where its CPU code runs
 * @param localGpus of that node
 * @param remoteServers of each GPU that it uses elsewhere, the node of that GPU
 * @param byRemoteRule whether it was found by the rule of the R queue
 */
public record Place(int server, int localGpus, List<Integer> remoteServers, boolean byRemoteRule) {
  public Place {
    remoteServers = List.copyOf(remoteServers);
  }

  /** Whether it uses a GPU of another node. */
  public boolean isRemote() {
    return !remoteServers.isEmpty();
  }
}
