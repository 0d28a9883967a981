package org.schedgpu.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code schedgpu agent} as root on the node of a cluster with Mode=brokered. */
final class NodeAgent {
  private final Process process;
  private final Path log;

  private NodeAgent(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts it, and waits until it serves clients. */
  static NodeAgent start(SchedGpuCluster cluster) throws IOException {
    Path log = Files.createTempFile(cluster.slurm().paths().files(), "agent", ".log");
    String conf = cluster.installation().schedgpuConf().toString();
    Process process =
        cluster
            .slurm()
            .commands()
            .with(Map.of("SLURMD_NODENAME", cluster.node()))
            .prepare(List.of(Build.command().toString(), "agent", "--config", conf))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    NodeAgent agent = new NodeAgent(process, log);
    Eventually.that(
        "the agent serves clients", () -> agent.log().contains("serves clients at"), agent::log);
    return agent;
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** By SIGKILL: it can do nothing more. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** By SIGTERM; returns its exit status. */
  int end() throws InterruptedException {
    process.destroy();
    return process.waitFor();
  }
}
