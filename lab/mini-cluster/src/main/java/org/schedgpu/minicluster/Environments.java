package org.schedgpu.minicluster;

import java.util.Map;

/** The environment of the processes that a cluster starts. */
final class Environments {
  private static final String SYSTEM_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  private Environments() {}

  /**
   * Makes an inherited environment fit for this cluster: no trace of another Slurm (this JVM may
   * itself be a job), the folders of system programs in PATH, then the additions.
   */
  static void prepare(Map<String, String> environment, Map<String, String> additions) {
    environment.keySet().removeIf(Environments::belongsToSlurm);
    environment.merge("PATH", SYSTEM_PATH, (path, system) -> path + ":" + system);
    environment.putAll(additions);
  }

  private static boolean belongsToSlurm(String name) {
    return name.startsWith("SLURM")
        || name.startsWith("SBATCH_")
        || name.startsWith("SALLOC_")
        || name.startsWith("SQUEUE_")
        || name.startsWith("SINFO_");
  }
}
