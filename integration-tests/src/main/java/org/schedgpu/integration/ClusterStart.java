package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.files.GresConfigGenerator;
import org.schedgpu.gres.files.GresFiles;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.DeviceGroup;
import org.schedgpu.gres.plan.GpuGroup;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.UnchangedGroup;
import org.schedgpu.gres.site.SlurmConfSettings;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;
import org.schedgpu.minicluster.NodeSpec;

/** Brings up one {@link SchedGpuCluster}: the node's devices, the plan, the files, the daemons. */
final class ClusterStart {
  private static final int CPUS = 48;
  private static final int MEMORY_MIB = 4000;
  private static final String INSTANCE = "1g.5gb";
  private static final Pattern GRES = Pattern.compile("NodeName=\\S+ Gres=(\\S+)");

  private final ClusterSetup setup;
  private final Path sharedMemory;
  private final MiniClusterBuilder builder = MiniCluster.builder();
  private final String prefix = MiniCluster.freshNodePrefix();
  private final String node = prefix + 1;
  private final NodePlan plan;
  private final Installation installation = new Installation(builder.paths());

  private ClusterStart(ClusterSetup setup, Path sharedMemory) {
    this.setup = setup;
    this.sharedMemory = sharedMemory;
    List<Device> devices =
        EmulatedDevices.create(setup, sharedMemory.resolve("gpus"), builder.paths().devices());
    List<GpuGroup> groups = new ArrayList<>();
    groups.add(new DeviceGroup("emulated", devices, setup.shares, setup.order));
    if (setup.instances > 0) {
      groups.add(new UnchangedGroup(INSTANCE, setup.instances));
    }
    LinkRule links = LinkRule.of(SlurmVersion.installed().orElseThrow());
    plan =
        new NodePlan(
            node, groups, Affinity.LINKS, Map.of(), Optional.empty(), setup.countsMemory, links);
  }

  static SchedGpuCluster run(ClusterSetup setup) throws IOException {
    Path sharedMemory = Files.createTempDirectory(setup.memory, "schedgpu-it-");
    Files.setPosixFilePermissions(sharedMemory, PosixFilePermissions.fromString("rwxr-xr-x"));
    return new ClusterStart(setup, sharedMemory).start();
  }

  private SchedGpuCluster start() throws IOException {
    GresFiles files = generate();
    configure(files);
    MiniCluster slurm = builder.build();
    SchedGpuCluster cluster =
        new SchedGpuCluster(setup, slurm, sharedMemory, plan, installation, jobEnvironment());
    try {
      installation.copyBinaries();
      Files.writeString(installation.devicesConf(), ofAllNodes(files.devicesConf()));
      cluster.configureAsAtStart();
      slurm.start();
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private GresFiles generate() {
    SlurmConfSettings settings = SlurmConfSettings.defaults();
    if (setup.hooks) {
      settings =
          settings.withHooks(installation.prolog().toString(), installation.epilog().toString());
    }
    return GresConfigGenerator.generate(new GresPlan(List.of(plan), settings));
  }

  private void configure(GresFiles files) {
    builder
        .nodes(
            NodeSpec.numbered(
                prefix, 1 + setup.otherNodes, CPUS, MEMORY_MIB, gres(files.slurmConf())))
        .fakeDevices(setup.devices + (setup.instances > 0 ? 1 : 0))
        .gresConf(ofAllNodes(files.gresConf()) + instanceLines())
        .slurmConf(generatedLines(files.slurmConf()))
        .slurmConf(setup.slurmConf.toArray(new String[0]))
        .jobEnvironment(jobEnvironment());
    setup.constrainDevices.ifPresent(builder::constrainDevices);
    if (setup.plugin) {
      builder.plugstackConf(installation.plugstackLine() + setup.plugstack);
    }
    if (setup.accounting) {
      builder.accounting();
    }
    if (setup.rest) {
      builder.rest();
    }
    if (setup.restJwt) {
      builder.restJwt();
    }
  }

  /** The lines of the first node, and the same for the others. */
  private String ofAllNodes(String lines) {
    StringBuilder all = new StringBuilder(lines);
    for (int other = 2; other <= 1 + setup.otherNodes; other++) {
      all.append(lines.replace("NodeName=" + node + " ", "NodeName=" + prefix + other + " "));
    }
    return all.toString();
  }

  /** Of the device behind the others, as a site has them beside the lines of the plan. */
  private String instanceLines() {
    Path folder = builder.paths().devices();
    return "NodeName=%s Name=gpu Type=%s MultipleFiles=%s/nvidia%d,%s/nvidiactl%n"
        .formatted(node, INSTANCE, folder, setup.devices, folder)
        .repeat(setup.instances);
  }

  private Map<String, String> jobEnvironment() {
    Map<String, String> environment =
        new HashMap<>(EmulatedDevices.environment(setup, sharedMemory.resolve("gpus")));
    environment.put("LD_LIBRARY_PATH", installation.folder().toString());
    environment.put("EMULATED_GPU_DEV_DIR", builder.paths().devices().toString());
    return environment;
  }

  /** The cluster writes the node's line itself; of the generated one it needs Gres=. */
  private static String gres(String slurmConf) {
    Matcher matcher = GRES.matcher(slurmConf);
    if (!matcher.find()) {
      throw new AssertionError("no node in the generated slurm.conf: " + slurmConf);
    }
    return matcher.group(1);
  }

  private static String[] generatedLines(String slurmConf) {
    return slurmConf
        .lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#") && !line.startsWith("NodeName="))
        .toArray(String[]::new);
  }
}
