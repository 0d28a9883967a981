package org.schedgpu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.GresConfigGenerator;
import org.schedgpu.gres.files.GresFiles;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.rule.ShareRule;
import org.schedgpu.minicluster.ClusterPaths;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;

/**
 * The paper's test-bed as a cluster: one node with 12 CPUs and one device. Its Slurm has one GPU
 * (as it is) or 1 x 12 GPUs, without or with schedGPU. The files that jobs need are copied into the
 * cluster's folder, because jobs run as an ordinary user.
 */
final class ClusterPlan {
  private static final int CPUS = 12;
  private static final int MEMORY_MIB = 32768;
  private static final String GRES_TYPE = "k20m";
  private static final long MIB = 1 << 20;
  private static final Set<PosixFilePermission> EXECUTABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");

  private final RunKind kind;
  private final Artifacts artifacts;
  private final EmulatedGpu gpu;
  private final Workload workload;
  private final MiniClusterBuilder builder = MiniCluster.builder();
  private final ClusterPaths paths = builder.paths();
  private final GresFiles gresFiles;

  /**
   * Plans the cluster.
   *
   * @param workload what runs there
   */
  ClusterPlan(RunKind kind, Artifacts artifacts, EmulatedGpu gpu, Workload workload) {
    this.kind = kind;
    this.artifacts = artifacts;
    this.gpu = gpu;
    this.workload = workload;
    String node = MiniCluster.freshNodePrefix() + "1";
    NodePlan plan = nodePlan(node, workload.programs().get(0).contextMiB());
    gresFiles = GresConfigGenerator.generate(new GresPlan(List.of(plan)));
    String gres = "gpu:%s:%d".formatted(GRES_TYPE, plan.virtualGpuCount());
    builder
        .nodes(List.of(new NodeSpec(node, CPUS, MEMORY_MIB, gres)))
        .gresConf(gresFiles.gresConf())
        .fakeDevices(1)
        .constrainDevices(false)
        .jobEnvironment(jobEnvironment());
    if (kind.isScheduled()) {
      builder
          .plugstackConf("required " + artifacts.spankPlugin() + " conf=" + schedGpuConf() + "\n")
          .prolog(artifacts.prolog())
          .epilog(artifacts.epilog());
    } else if (kind.isShared()) {
      builder.slurmConf("TaskProlog=" + taskProlog());
    }
  }

  /**
   * Slurm names a job's virtual GPU in CUDA_VISIBLE_DEVICES, 0 to 11, but only device 0 exists. The
   * plugin corrects that; a site without it would do it in this way.
   */
  private Path taskProlog() {
    return paths.files().resolve("task-prolog");
  }

  private NodePlan nodePlan(String node, long contextMiB) {
    JsonNode facts = gpu.describe();
    Device device =
        new Device(
            0,
            facts.path("uuid").asText(),
            paths.devices().resolve("nvidia0").toString(),
            facts.path("totalBytes").asLong(),
            0,
            contextMiB * MIB,
            facts.path("name").asText());
    NodeFacts nodeFacts = new NodeFacts(node, CPUS, List.of(device));
    int shares = kind.isShared() ? ShareRule.perCpu().sharesOf(nodeFacts) : 1;
    return new NodePlan(node, nodeFacts.devices(), shares, GRES_TYPE, Order.SPREAD, true);
  }

  private Map<String, String> jobEnvironment() {
    Map<String, String> variables = new HashMap<>(gpu.environment());
    variables.put("LD_LIBRARY_PATH", paths.files().toString());
    variables.putAll(workload.environment());
    return variables;
  }

  /** Beside slurm.conf, where prolog and epilog search for it. */
  private Path schedGpuConf() {
    return paths.etc().resolve("schedgpu.conf");
  }

  /** Makes the cluster's folder with all its files, but does not start it. */
  MiniCluster build() {
    MiniCluster cluster = builder.build();
    try {
      for (Path library : artifacts.emulatorLibraries()) {
        copy(library, paths.files());
      }
      workload.install(paths.files());
      for (Program program : workload.programs()) {
        script(program);
      }
      if (kind.isScheduled()) {
        copy(
            artifacts.preload(),
            paths.files()); // jobs with a share or a lane would need the files beside it
        Files.writeString(schedGpuConf(), schedGpuText());
        Files.writeString(paths.etc().resolve(GresFiles.DEVICES_CONF), gresFiles.devicesConf());
      } else if (kind.isShared()) {
        Files.writeString(taskProlog(), "#!/bin/sh\necho export CUDA_VISIBLE_DEVICES=0\n");
        Files.setPosixFilePermissions(taskProlog(), EXECUTABLE);
      }
    } catch (IOException e) {
      cluster.close();
      throw new DemoException("cannot write into " + paths.base(), e);
    }
    return cluster;
  }

  private String schedGpuText() {
    return """
    RunDir=%s
    Policy=%s
    PreloadLibrary=%s
    """
        .formatted(
            gpu.schedGpuFolder(),
            kind.word(),
            paths.files().resolve(artifacts.preload().getFileName()));
  }

  /** Copies a file that jobs use into a folder. */
  static void copy(Path file, Path folder) throws IOException {
    Path copy = folder.resolve(file.getFileName().toString());
    Files.copy(file, copy);
    Files.setPosixFilePermissions(copy, EXECUTABLE);
  }

  private void script(Program program) throws IOException {
    Files.writeString(
        jobScript(paths, program.name()),
        "#!/bin/sh\nexec " + workload.command(paths.files(), program) + "\n");
  }

  /** The script to submit for a program. */
  static Path jobScript(ClusterPaths paths, String program) {
    return paths.files().resolve(program + ".sh");
  }
}
