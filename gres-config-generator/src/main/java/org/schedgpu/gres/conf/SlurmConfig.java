package org.schedgpu.gres.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Interprets lines that were read already. */
public final class SlurmConfig {
  private static final int SLURMD_PORT = 6818;

  private final ConfTree tree;
  private final Map<String, Setting> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final List<String> warnings;
  private final Map<String, SlurmNode> nodes;
  private final Map<String, SlurmPartition> partitions = new LinkedHashMap<>();

  private SlurmConfig(ConfTree tree) {
    this.tree = tree;
    this.warnings = new ArrayList<>(tree.warnings());
    tree.lines().forEach(this::addSetting);
    NodeLines lines = new NodeLines(slurmdPort());
    starting("NodeName").forEach(lines::add);
    nodes = lines.nodes();
    addPartitions();
  }

  /**
   * Reads slurm.conf and the files that it includes.
   *
   * @throws org.schedgpu.gres.common.GresException if a file cannot be read, or Slurm would reject
   *     it
   */
  public static SlurmConfig read(Path slurmConf) {
    return of(ConfTree.read(slurmConf, ConfKind.SLURM_CONF));
  }

  /** The meaning of lines that are read already. */
  public static SlurmConfig of(ConfTree tree) {
    return new SlurmConfig(tree);
  }

  /** The lines, as a base for changes. */
  public ConfTree tree() {
    return tree;
  }

  /** A key with one value for the cluster, such as GresTypes. */
  public Optional<Setting> setting(String key) {
    return Optional.ofNullable(settings.get(key));
  }

  /** All keys of the cluster with the values in effect; case does not matter. */
  public NavigableMap<String, String> settings() {
    NavigableMap<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    settings.forEach((key, setting) -> values.put(key, setting.value()));
    return values;
  }

  /** All nodes, in the order of their lines. */
  public Collection<SlurmNode> nodes() {
    return List.copyOf(nodes.values());
  }

  /** A node by its NodeName; case matters. */
  public Optional<SlurmNode> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** All partitions, in the order of their lines. */
  public Collection<SlurmPartition> partitions() {
    return List.copyOf(partitions.values());
  }

  /** A partition by its name. */
  public Optional<SlurmPartition> partition(String name) {
    return Optional.ofNullable(partitions.get(name));
  }

  /**
   * Warnings about lines that Slurm accepts but that probably mean something else than intended.
   */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  private void addSetting(ConfLine line) {
    KeyValue pair = line.pairs().get(0);
    if (KnownKeys.of(ConfKind.SLURM_CONF).takesMore(pair.key()) || pair.hasKey("SlurmctldHost")) {
      return;
    }
    Setting before = settings.put(pair.key(), new Setting(pair.key(), pair.value(), line));
    if (before != null) {
      warnings.add(
          line.place()
              .warning(
                  "%s= is in %s too, Slurm takes the last".formatted(pair.key(), before.place())));
    }
  }

  private int slurmdPort() {
    Optional<Setting> setting = setting("SlurmdPort");
    String value = setting.map(Setting::value).orElse(Integer.toString(SLURMD_PORT));
    if (!value.matches("[1-9][0-9]{0,4}") || Integer.parseInt(value) > 0xffff) {
      throw setting
          .orElseThrow()
          .place()
          .error("SlurmdPort=" + value + " is no port", "use 1 to 65535");
    }
    return Integer.parseInt(value);
  }

  private void addPartitions() {
    NodeSpec spec = new NodeSpec(nodes, starting("NodeSet"));
    DefaultLines defaults = new DefaultLines();
    for (ConfLine line : starting("PartitionName")) {
      if (DefaultLines.isDefault(line)) {
        defaults.add(line);
      } else {
        addPartition(line, defaults.with(line), spec);
      }
    }
  }

  private void addPartition(ConfLine line, DefaultLines.Settings settings, NodeSpec spec) {
    String name = line.pairs().get(0).value();
    String list = settings.get("Nodes").map(Setting::value).orElse("");
    SlurmPartition partition = new SlurmPartition(name, spec.resolve(line, list), line, settings);
    SlurmPartition other = partitions.put(name, partition);
    if (other != null) {
      throw line.place()
          .error(
              "partition %s is defined already in %s".formatted(name, other.line().place()),
              "define it once");
    }
  }

  private List<ConfLine> starting(String key) {
    return tree.lines().stream().filter(line -> line.startsWith(key)).toList();
  }
}
