package org.schedgpu.papers.remote;

/**
 * A node and its network: Table 2, and equations 1 and 2.
 *
 * @param cpus of a node
 * @param gpus of a node
 * @param memoryBytes host memory of a node
 * @param networkBytesPerS bandwidth of a node's link
 * @param gpuBytesPerS bandwidth between GPUs of one node
 * @param rcudaShare of the link's bandwidth that rCUDA reaches: 1 / overhead
 * @param rcudaLatencyS of one transfer to or from a remote GPU
 */
public record NodeModel(
    int cpus,
    int gpus,
    long memoryBytes,
    double networkBytesPerS,
    double gpuBytesPerS,
    double rcudaShare,
    double rcudaLatencyS) {
  private static final double GB = 1e9;

  /** Table 2 of the paper. */
  public static NodeModel tsubame() {
    return new NodeModel(8, 3, (long) (22 * GB), 10 * GB, 171 * GB, 0.92, 3.47e-3);
  }

  /** The test-bed of Figure 2: 6.38 GB/s, an overhead of 1.09, 3.47 ms. */
  public static NodeModel testBed() {
    return new NodeModel(6, 1, (long) (48 * GB), 6.38 * GB, 172 * GB, 1 / 1.09, 3.47e-3);
  }

  /**
   * Equations 1 and 2: seconds for transfers to or from remote GPUs.
   *
   * @param bytes in sum
   * @param transfers how many
   * @param streams that share the link, this one included; at least 1
   */
  public double remoteS(double bytes, long transfers, int streams) {
    return transfers * rcudaLatencyS + bytes / (networkBytesPerS * rcudaShare / streams);
  }
}
