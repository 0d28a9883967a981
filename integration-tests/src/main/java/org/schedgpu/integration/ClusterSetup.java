package org.schedgpu.integration;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.plan.Order;

/** Describes a {@link SchedGpuCluster}. Not thread-safe. */
final class ClusterSetup {
  int devices = 1;
  int shares = 12;
  int deviceMiB = 1200;
  int contextMiB = 16;
  int instances;
  boolean hooks = true;
  boolean plugin = true;
  String plugstack = "";
  Path memory = Path.of("/dev/shm");
  int otherNodes;
  boolean accounting;
  boolean countsMemory;
  boolean rest;
  boolean restJwt;
  Order order = Order.SPREAD;
  Optional<Boolean> constrainDevices = Optional.empty();
  final List<String> conf = new ArrayList<>();
  final List<String> slurmConf = new ArrayList<>();

  private ClusterSetup() {}

  /** One node with one device of 1200 MiB, 16 MiB of a context, 12 shares. */
  static ClusterSetup oneDevice() {
    return new ClusterSetup();
  }

  /** One node with two such devices of 6 shares each; virtual GPUs alternate between them. */
  static ClusterSetup twoDevices() {
    ClusterSetup setup = new ClusterSetup();
    setup.devices = 2;
    setup.shares = 6;
    return setup;
  }

  /**
   * Also this many MIG instances of another device, of type 1g.5gb, which schedGPU leaves alone.
   */
  ClusterSetup instances(int count) {
    instances = count;
    return this;
  }

  /** Only virtual GPUs: no plugin, no prolog, no epilog. */
  ClusterSetup withoutSchedGpu() {
    hooks = false;
    return withoutPlugin();
  }

  /** Only prolog and epilog. */
  ClusterSetup withoutPlugin() {
    plugin = false;
    return this;
  }

  /** Where RunDir and the state of the emulated devices are; default: /dev/shm. */
  ClusterSetup memory(Path folder) {
    memory = folder;
    return this;
  }

  /** A line of plugstack.conf behind ours. */
  ClusterSetup plugstack(String line) {
    plugstack = line + "\n";
    return this;
  }

  /** Whether a job can open only its own devices; default: where this host allows it. */
  ClusterSetup constrainDevices(boolean constrain) {
    constrainDevices = Optional.of(constrain);
    return this;
  }

  /** Lines of schedgpu.conf, in addition to RunDir and PreloadLibrary. */
  ClusterSetup conf(String... lines) {
    conf.addAll(List.of(lines));
    return this;
  }

  /** Lines of slurm.conf that replace the cluster's own. */
  ClusterSetup slurmConf(String... lines) {
    slurmConf.addAll(List.of(lines));
    return this;
  }

  /**
   * Also this many nodes, which share the devices and the region of the first one: jobs may run
   * there, but must not ask for memory.
   */
  ClusterSetup otherNodes(int count) {
    otherNodes = count;
    return this;
  }

  /** Slurm also counts the memory of the device, as the GRES gpumem. */
  ClusterSetup countsMemory() {
    countsMemory = true;
    return this;
  }

  /** Also starts MariaDB and slurmdbd. */
  ClusterSetup accounting() {
    accounting = true;
    return this;
  }

  /** Also starts slurmrestd, which asks as its own user. */
  ClusterSetup rest() {
    rest = true;
    return this;
  }

  /** Also starts slurmrestd, which asks as the user of a token. */
  ClusterSetup restJwt() {
    restJwt = true;
    return this;
  }
}
