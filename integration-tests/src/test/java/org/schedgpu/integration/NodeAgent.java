package org.schedgpu.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code schedgpu agent} as root on the node of a cluster. */
final class NodeAgent {
  /** How often a log is read before the agent is asked to look again. */
  private static final int READS = 40;

  private final SchedGpuCluster cluster;
  private final Process process;
  private final Path log;

  private NodeAgent(SchedGpuCluster cluster, Process process, Path log) {
    this.cluster = cluster;
    this.process = process;
    this.log = log;
  }

  /** Starts it, and waits until it is ready. */
  static NodeAgent start(SchedGpuCluster cluster, Map<String, String> more) throws IOException {
    Path log = Files.createTempFile(cluster.slurm().paths().files(), "agent", ".log");
    Map<String, String> environment = new HashMap<>(more);
    environment.put("SLURMD_NODENAME", cluster.node());
    Process process =
        cluster
            .slurm()
            .commands()
            .with(environment)
            .prepare(
                List.of(
                    "env", // the process that runs the tests may ignore it; children inherit that
                    "--default-signal=HUP",
                    Build.command().toString(),
                    "agent",
                    "--config",
                    cluster.installation().schedgpuConf().toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    NodeAgent agent = new NodeAgent(cluster, process, log);
    agent.await("ready: process " + process.pid());
    return agent;
  }

  /** With Mode=brokered: also waits until it serves clients. */
  static NodeAgent startBroker(SchedGpuCluster cluster) throws IOException {
    NodeAgent agent = start(cluster, Map.of());
    agent.await("serves clients at");
    return agent;
  }

  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for this in its log. */
  void await(String text) {
    Eventually.that(
        "'" + text + "' in the agent's log",
        () -> log().contains(text),
        () -> log() + cluster.situation());
  }

  /** As above. Meanwhile it does all its periodic tasks again and again. */
  void awaitSoon(String text) {
    int[] reads = {0};
    Eventually.that(
        "'" + text + "' in the agent's log",
        () -> {
          boolean there = log().contains(text);
          if (!there && reads[0]++ % READS == 0) {
            reload();
          }
          return there;
        },
        () -> log() + cluster.situation());
  }

  /** It reads its configuration, and every periodic task is due. */
  void reload() {
    signal("HUP");
  }

  void signal(String name) {
    cluster.slurm().run(List.of("kill", "-" + name, "" + process.pid()), Map.of(), null).orThrow();
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
