package org.schedgpu.minicluster;

import java.io.IOException;
import java.io.OutputStream;

/**
 * A program that starts a cluster with a job, reports that, and lives as long as its standard
 * input.
 */
final class AbandonedCluster {
  private AbandonedCluster() {}

  /** Prints the cluster's folder when it runs; the argument is the prefix of its node names. */
  public static void main(String[] arguments) throws IOException {
    MiniCluster cluster = TestClusters.shared(arguments[0]).start();
    long id = cluster.sbatch("--gres=gpu:1", "--wrap", "sleep 1000");
    if (!Waiting.until(LifecycleTest.LIMIT, () -> cluster.jobState(id) == JobState.RUNNING)) {
      throw new IllegalStateException("no job");
    }
    System.out.println(cluster.paths().base());
    System.in.transferTo(OutputStream.nullOutputStream());
  }
}
