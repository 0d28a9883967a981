package org.schedgpu.integration;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.schedgpu.minicluster.CommandResult;

/**
 * A program that the preload library does not see: it starts without LD_PRELOAD, like a static one.
 * It takes 716 MiB of a device of 1200, its context included.
 */
abstract class UncaughtTestCase extends ClusterTest {
  static final List<String> SMALL = List.of("--gres=gpu:1", "--schedgpu-mem=100M");
  static final List<String> LARGE = List.of("--gres=gpu:1", "--schedgpu-mem=800M");
  static final long SEEN = 716L << 20;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  String uncaught(Object... actions) {
    return "env -u LD_PRELOAD " + cluster.gpuUser(actions);
  }

  /** The command on the node, which sees the devices as jobs do. */
  CommandResult schedgpu(String command, String... options) {
    return cluster.slurm().run(words(cluster.runDir(), command, options), environment(), null);
  }

  JsonNode deviceOf(long job) {
    JsonNode status = Json.parse(schedgpu("status", "--json").orThrow().stdout());
    for (JsonNode entry : status.get("jobs")) {
      if (entry.get("id").asLong() == job) {
        return entry.at("/devices/0");
      }
    }
    return Json.MISSING;
  }

  String watchOnce() {
    return schedgpu("watch", "--once").orThrow().stdout();
  }

  long startUncaught(Path end) {
    Path started = cluster.barrier("started");
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            SMALL,
            uncaught("alloc", 700, "touch", started, "until", end));
    cluster.await(started);
    return job;
  }

  Map<String, String> environment() {
    return cluster.jobEnvironment();
  }

  static List<String> words(Path runDir, String command, String... options) {
    List<String> words = new ArrayList<>(List.of(Build.command().toString(), command));
    words.addAll(List.of("--run-dir", runDir.toString()));
    words.addAll(List.of(options));
    return words;
  }

  /** A process on the node that belongs to no Slurm job. */
  Process start(List<String> words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(environment());
    return builder.start();
  }
}
