package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.files.GresConfigGenerator;
import org.schedgpu.gres.files.GresFiles;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.plan.ShardRule;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;

/**
 * Forty jobs on three nodes with one device each. All nodes are on one host, so their devices are
 * in one region: devices.conf gives each node those of the others too, behind numbers that Slurm
 * does not have.
 */
final class PlacementRun {
  static final int JOBS = 40;
  private static final int NODES = 3;
  private static final int CPUS_PER_NODE = 24;
  private static final int CPUS_PER_JOB = 2;
  private static final int MEMORY_MIB = 4000;
  private static final int FIRST_OTHER = 900;

  /** MiB of a job, in turn: at most five of them fit on a device, contexts included. */
  private static final int[] SIZES = {200, 300, 800, 200, 500, 400, 200, 1000, 300, 600};

  /** Tenths of a second for which a job has its memory. */
  private static final int[] TENTHS = {20, 12, 8, 30, 15, 10, 25};

  private final ClusterSetup setup = ClusterSetup.oneDevice();
  private final Path sharedMemory;
  private final MiniClusterBuilder builder = MiniCluster.builder();
  private final Installation installation = new Installation(builder.paths());
  private final Optional<ShardRule> shards;
  private MiniCluster cluster;

  /**
   * Where the jobs waited.
   *
   * @param ended jobs that ended with success
   * @param waitedOnNode jobs that schedGPU let wait, by their output
   * @param queueSeconds mean of the wait in the queue of Slurm
   * @param nodeSeconds mean of the time from the start of the script until the job has its memory
   * @param heldCpuSeconds CPUs that jobs held until they had their memory
   * @param allSeconds from the first submission to the last end
   */
  record Result(
      int ended,
      int waitedOnNode,
      double queueSeconds,
      double nodeSeconds,
      double heldCpuSeconds,
      double allSeconds) {}

  private PlacementRun(Optional<ShardRule> shards) throws IOException {
    this.shards = shards;
    setup.devices = NODES;
    sharedMemory = Files.createTempDirectory(Path.of("/dev/shm"), "schedgpu-it-");
    Files.setPosixFilePermissions(sharedMemory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /**
   * Runs them.
   *
   * @param shares virtual GPUs of a device, without shards
   */
  static Result of(int shares, Optional<ShardRule> shards) throws IOException {
    PlacementRun run = new PlacementRun(shards);
    try {
      run.start(shares);
      return run.jobs();
    } finally {
      if (run.cluster != null) {
        run.cluster.close();
      }
      EmulatedDevices.remove(run.sharedMemory);
    }
  }

  private void start(int shares) throws IOException {
    List<Device> devices =
        EmulatedDevices.create(setup, sharedMemory.resolve("gpus"), builder.paths().devices());
    String prefix = MiniCluster.freshNodePrefix();
    List<NodePlan> plans = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      plans.add(plan(prefix + (i + 1), devices.get(i), shards.isPresent() ? 1 : shares));
    }
    GresFiles files = GresConfigGenerator.generate(new GresPlan(plans));
    Map<String, String> environment =
        new HashMap<>(EmulatedDevices.environment(setup, sharedMemory.resolve("gpus")));
    environment.put("LD_LIBRARY_PATH", installation.folder().toString());
    environment.put("EMULATED_GPU_DEV_DIR", builder.paths().devices().toString());
    cluster =
        builder
            .nodes(
                plans.stream()
                    .map(p -> new NodeSpec(p.nodeName(), CPUS_PER_NODE, MEMORY_MIB, p.gres()))
                    .toList())
            .fakeDevices(NODES)
            .constrainDevices(false) // Slurm confines to the own devices of a node
            .jobEnvironment(environment)
            .gresConf(files.gresConf())
            .slurmConf(
                "GresTypes=" + String.join(",", plans.get(0).gresNames()),
                "Prolog=" + installation.prolog(),
                "Epilog=" + installation.epilog())
            .plugstackConf(installation.plugstackLine())
            .build();
    installation.copyBinaries();
    Files.writeString(installation.devicesConf(), withOthers(files.devicesConf()));
    Files.writeString(
        installation.schedgpuConf(),
        "RunDir=%s\nPreloadLibrary=%s\nSafetyMargin=0\n"
            .formatted(sharedMemory.resolve("run"), installation.preloadLibrary()));
    cluster.start();
  }

  private NodePlan plan(String node, Device device, int shares) {
    return new NodePlan(
        node,
        List.of(new DeviceGroup("emulated", List.of(device), shares, Order.SPREAD)),
        Affinity.NONE,
        Map.of(),
        Optional.empty(),
        false,
        LinkRule.MOST_LINKED,
        shards);
  }

  /** The lines of all devices for each node; Slurm gives no job a number of another node's. */
  private static String withOthers(String devicesConf) {
    List<String> lines = devicesConf.lines().toList();
    List<String> all = new ArrayList<>();
    for (String own : lines) {
      String node = own.split(" ", 2)[0];
      for (int i = 0; i < lines.size(); i++) {
        String other = lines.get(i);
        all.add(
            other.equals(own)
                ? own
                : other
                    .replaceFirst("^NodeName=\\S+", node)
                    .replaceFirst(" Virtual=\\S+", " Virtual=" + (FIRST_OTHER + i)));
      }
    }
    return String.join("\n", all) + "\n";
  }

  private Result jobs() throws IOException {
    Map<Long, Double> submitted = new LinkedHashMap<>();
    for (int i = 0; i < JOBS; i++) {
      int mib = SIZES[i % SIZES.length];
      String gres = shards.isPresent() ? "shard:" + mib / 100 : "gpu:1";
      double now = System.currentTimeMillis() / 1e3;
      submitted.put(cluster.sbatch(options(gres, mib, i)), now);
    }
    Map<Long, JobState> ends = cluster.awaitJobs(submitted.keySet(), Eventually.LIMIT);
    double queue = 0;
    double node = 0;
    double last = 0;
    int waited = 0;
    for (Map.Entry<Long, Double> job : submitted.entrySet()) {
      String output = cluster.jobOutput(job.getKey());
      Map<String, Double> times = times(output);
      queue += times.get("began") - job.getValue();
      node += times.get("has") - times.get("began");
      last = Math.max(last, times.get("ended"));
      waited += output.contains("waiting for") ? 1 : 0;
    }
    double first = submitted.values().iterator().next();
    int ended = (int) ends.values().stream().filter(state -> state == JobState.COMPLETED).count();
    return new Result(ended, waited, queue / JOBS, node / JOBS, node * CPUS_PER_JOB, last - first);
  }

  /** Uses its memory for some time once it has it, and prints when it began, had it and ended. */
  private String[] options(String gres, int mib, int job) {
    Path has = cluster.paths().jobs().resolve("has-" + job);
    Path end = cluster.paths().jobs().resolve("end-" + job);
    int tenths = TENTHS[job % TENTHS.length];
    String script =
        """
        echo began $(date +%%s.%%N)
        %s alloc %d touch %s until %s &
        until [ -e %s ]; do kill -0 $! || exit 1; sleep 0.02; done
        echo has $(date +%%s.%%N)
        sleep %d.%d
        touch %s
        wait $! && echo ended $(date +%%s.%%N)"""
            .formatted(installation.gpuUser(), mib, has, end, has, tenths / 10, tenths % 10, end);
    return new String[] {
      "--gres=" + gres,
      "--schedgpu-mem=" + mib + "M",
      "--cpus-per-task=" + CPUS_PER_JOB,
      "--wrap",
      script
    };
  }

  private static Map<String, Double> times(String output) {
    Map<String, Double> times =
        output
            .lines()
            .map(line -> line.split(" ", -1))
            .filter(words -> words.length == 2 && words[1].matches("[0-9]+\\.[0-9]+"))
            .collect(Collectors.toMap(words -> words[0], words -> Double.parseDouble(words[1])));
    if (times.size() != 3) {
      throw new AssertionError("a job did not print its three times: " + output);
    }
    return times;
  }
}
