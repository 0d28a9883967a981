package org.schedgpu.gres.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Interprets lines that were read already. */
public final class GresConfig {
  private static final List<String> DETECTORS = List.of("nvml", "rsmi", "oneapi");

  private final ConfTree tree;
  private final List<String> warnings;
  private final List<GresLine> lines = new ArrayList<>();
  private final List<GresLine> linesForAll = new ArrayList<>();
  private final Map<String, List<GresLine>> linesByNode = new HashMap<>();
  private final Map<String, List<Setting>> detectByNode = new HashMap<>();

  /**
   * Lines with the same NodeName= share one set, because the sets of many lines for many nodes are
   * large.
   */
  private final Map<String, Set<String>> nodesByList = new HashMap<>();

  private Setting global;

  private GresConfig(ConfTree tree) {
    this.tree = tree;
    this.warnings = new ArrayList<>(tree.warnings());
    // Slurm processes all lines that begin with Name= first, whatever their order in the file.
    starting("Name").forEach(this::addForAll);
    starting("NodeName").forEach(this::addForNodes);
    starting("AutoDetect").forEach(this::addGlobal);
  }

  /**
   * Reads gres.conf and the files that it includes.
   *
   * @throws org.schedgpu.gres.common.GresException if a file cannot be read, or slurmd would reject
   *     it
   */
  public static GresConfig read(Path gresConf) {
    return of(ConfTree.read(gresConf, ConfKind.GRES_CONF));
  }

  /** The meaning of lines that are read already. */
  public static GresConfig of(ConfTree tree) {
    return new GresConfig(tree);
  }

  /** The lines, as a base for changes. */
  public ConfTree tree() {
    return tree;
  }

  /**
   * Warnings about lines that Slurm accepts but that probably mean something else than intended.
   */
  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** All lines that describe a GRES, in the order in which slurmd numbers them. */
  public List<GresLine> lines() {
    return List.copyOf(lines);
  }

  /** The lines that apply to a node. */
  public List<GresLine> linesFor(String node) {
    List<GresLine> own = linesByNode.getOrDefault(node, List.of());
    return Stream.concat(linesForAll.stream(), own.stream()).toList();
  }

  /**
   * AutoDetect= of a node: of a line that names the node, else the global one.
   *
   * @throws org.schedgpu.gres.common.GresException if two lines for the node contradict each other
   */
  public Optional<Setting> autoDetect(String node) {
    List<Setting> own = detectByNode.getOrDefault(node, List.of());
    for (Setting other : own) {
      if (!detector(other).equals(detector(own.get(0)))) {
        throw other
            .place()
            .error(
                "AutoDetect=%s for node %s, but %s in %s"
                    .formatted(other.value(), node, own.get(0).value(), own.get(0).place()),
                "say one thing for a node; slurmd does not start");
      }
    }
    return own.stream().findFirst().or(() -> Optional.ofNullable(global));
  }

  private void addForAll(ConfLine line) {
    if (line.pair("AutoDetect").isPresent()) {
      warn(line, "AutoDetect= without NodeName= on its line is ignored by Slurm");
    }
    reader(line)
        .read(Optional.empty())
        .ifPresent(
            gres -> {
              lines.add(gres);
              linesForAll.add(gres);
            });
  }

  private void addForNodes(ConfLine line) {
    Set<String> nodes =
        nodesByList.computeIfAbsent(
            line.pairs().get(0).value(),
            list -> Collections.unmodifiableSet(new LinkedHashSet<>(NodeLines.expand(line, list))));
    line.pair("AutoDetect")
        .map(pair -> detect(line, pair))
        .ifPresent(setting -> nodes.forEach(node -> add(detectByNode, node, setting)));
    Optional<GresLine> gres = reader(line).read(Optional.of(nodes));
    gres.ifPresent(lines::add);
    gres.ifPresent(g -> nodes.forEach(node -> add(linesByNode, node, g)));
  }

  private static <T> void add(Map<String, List<T>> byNode, String node, T value) {
    byNode.computeIfAbsent(node, n -> new ArrayList<>(1)).add(value);
  }

  private void addGlobal(ConfLine line) {
    if (global != null) {
      warn(line, "AutoDetect= is in %s too, Slurm takes the last".formatted(global.place()));
    }
    global = detect(line, line.pairs().get(0));
  }

  private Setting detect(ConfLine line, KeyValue pair) {
    Setting setting = new Setting(pair.key(), pair.value(), line);
    if (detector(setting).isEmpty()) {
      warn(line, "AutoDetect=%s is nothing that Slurm 22.05 knows".formatted(pair.value()));
    }
    return setting;
  }

  /**
   * The detector in a value; empty if there is none. Slurm searches the whole value for the known
   * words.
   */
  private static String detector(Setting setting) {
    String value = setting.value().toLowerCase(Locale.ROOT);
    Stream<String> words = DETECTORS.stream().filter(value::contains);
    return value.equals("off") ? value : words.findFirst().orElse("");
  }

  private GresLineReader reader(ConfLine line) {
    return new GresLineReader(line, warnings::add);
  }

  private void warn(ConfLine line, String problem) {
    warnings.add(line.place().warning(problem));
  }

  private List<ConfLine> starting(String key) {
    return tree.lines().stream().filter(line -> line.startsWith(key)).toList();
  }
}
