package org.schedgpu.minicluster;

import java.nio.file.Path;

/**
 * Where a cluster keeps its files. Known before the cluster exists, so that configuration text can
 * name them. Immutable.
 *
 * @param base the cluster's own folder; it is created by {@link MiniClusterBuilder#build} and
 *     removed by {@link MiniCluster#close}
 */
public record ClusterPaths(Path base) {
  /** The folder of slurm.conf, gres.conf, plugstack.conf and cgroup.conf. */
  public Path etc() {
    return base.resolve("etc");
  }

  /** The file that {@code SLURM_CONF} names. */
  public Path slurmConf() {
    return etc().resolve("slurm.conf");
  }

  /** The cluster's gres.conf. */
  public Path gresConf() {
    return etc().resolve("gres.conf");
  }

  /** The cluster's plugstack.conf. */
  public Path plugstackConf() {
    return etc().resolve("plugstack.conf");
  }

  /**
   * The folder of the fake device nodes {@code nvidia0}, {@code nvidia1}, ..., {@code nvidiactl}.
   */
  public Path devices() {
    return base.resolve("dev");
  }

  /** The daemons' logs: {@code slurmctld.log}, {@code slurmd-<node>.log}, and what they print. */
  public Path logs() {
    return base.resolve("log");
  }

  /** The working folder of submitted commands, so also of their output; writable by everyone. */
  public Path jobs() {
    return base.resolve("jobs");
  }

  /** An empty folder for the caller's own files, readable by everyone. */
  public Path files() {
    return base.resolve("files");
  }

  /** slurmrestd's UNIX socket (rest_auth/local), if the cluster was asked for one. */
  public Path restSocket() {
    return rest().resolve("sock");
  }

  /** Belongs to the user that slurmrestd runs as. */
  Path rest() {
    return base.resolve("rest");
  }

  Path run() {
    return base.resolve("run");
  }

  Path state() {
    return base.resolve("state");
  }

  Path spool() {
    return base.resolve("spool");
  }

  Path munge() {
    return base.resolve("munge");
  }

  Path mungeSocket() {
    return munge().resolve("sock");
  }

  /** MariaDB's, if the cluster was asked for accounting. */
  Path database() {
    return base.resolve("db");
  }

  Path databaseSocket() {
    return database().resolve("sock");
  }

  Path slurmdbdConf() {
    return etc().resolve("slurmdbd.conf");
  }

  Path jwtKey() {
    return etc().resolve("jwt.key");
  }
}
