package org.schedgpu.papers.remote;

/** How long a job takes where it runs: equations 1 and 2 with the streams of each link. */
final class Slowdown {
  private static final double NS = 1e9;

  private final NodeModel model;
  private final Servers servers;

  Slowdown(NodeModel model, Servers servers) {
    this.model = model;
    this.servers = servers;
  }

  /** Seconds for the whole job if everything stays as it is: that of its slowest node. */
  double jobS(QueueRun run) {
    double extraS = 0;
    for (Place place : run.places) {
      extraS = Math.max(extraS, networkS(run.job, place) + remoteS(run.job, place));
    }
    return run.job.runNs() / NS + extraS;
  }

  /** The messages between nodes share the link with the streams of remote GPUs. */
  private double networkS(QueueJob job, Place place) {
    return job.nodes() == 1
        ? 0
        : job.netBytes() / model.networkBytesPerS() * servers.get(place.server()).streams;
  }

  private double remoteS(QueueJob job, Place place) {
    if (!place.isRemote()) {
      return 0;
    }
    int streams = servers.get(place.server()).streams;
    for (int lender : place.remoteServers()) {
      streams = Math.max(streams, servers.get(lender).streams);
    }
    return model.remoteS(job.gpuBytes(), job.gpuTransfers(), streams)
        - job.gpuBytes() / model.gpuBytesPerS();
  }
}
