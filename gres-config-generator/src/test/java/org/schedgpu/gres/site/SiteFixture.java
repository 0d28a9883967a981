package org.schedgpu.gres.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.conf.SlurmConfig;

/** A site's folder, and the result of a plan. Nodes g1 and g2 get 12 shares for each GPU. */
final class SiteFixture {
  static final String NODES = "NodeName=g[1-2] CPUs=48 RealMemory=64000 Gres=gpu:2\n";
  private static final String QUIET =
      "ClusterName=x\nGresTypes=gpu\nProlog=/x/schedgpu-prolog\nEpilog=/x/schedgpu-epilog\n"
          + "PrologFlags=Alloc\nPrologEpilogTimeout=60\nTaskPlugin=task/cgroup\n";

  final Path folder;
  private final List<NodeChange> nodes = new ArrayList<>();
  private SlurmConfSettings settings = SlurmConfSettings.defaults();
  private SiteRequest request = SiteRequest.none();

  /**
   * A site with everything that schedGPU needs, so that warnings come only from the case under
   * test.
   */
  SiteFixture(Path folder) {
    this.folder = folder;
    write("plugstack.conf", "required /x/schedgpu.so\n");
    write("cgroup.conf", "ConstrainDevices=yes\n");
    node("g1", "gpu:2", "gpu:t4:24").node("g2", "gpu:2", "gpu:t4:24");
  }

  SiteFixture node(String name, String before, String after) {
    nodes.removeIf(node -> node.name().equals(name));
    nodes.add(new NodeChange(name, before, after, true));
    return this;
  }

  SiteFixture with(SlurmConfSettings newSettings) {
    settings = newSettings;
    return this;
  }

  SiteFixture with(SiteRequest newWishes) {
    request = newWishes;
    return this;
  }

  static SiteRequest billing() {
    return new SiteRequest(false, true, false, Optional.empty(), Optional.empty());
  }

  void write(String name, String text) {
    try {
      Files.createDirectories(folder.resolve(name).getParent());
      Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With these lines after those that a site needs; the last of repeated keys counts. */
  SiteChange change(String lines) {
    return bare(QUIET + NODES + lines);
  }

  /** With only these lines. */
  SiteChange bare(String slurmConf) {
    write("slurm.conf", slurmConf);
    return SiteChange.of(SlurmConfig.read(folder.resolve("slurm.conf")), nodes, settings, request);
  }

  /**
   * The warnings without those that every change of counts has, and without those on repeated keys.
   */
  static List<String> warnings(SiteChange change) {
    return change.warnings().stream()
        .filter(w -> !w.startsWith("jobs that ask for GPUs by number") && !w.contains(" is in /"))
        .toList();
  }

  static String text(SiteChange change, String name) {
    return change.files().stream()
        .filter(file -> file.name().equals(name))
        .map(file -> new String(file.after(), StandardCharsets.UTF_8))
        .findFirst()
        .orElse("(unchanged)");
  }
}
