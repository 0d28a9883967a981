package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfKind;
import org.schedgpu.gres.conf.ConfTree;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Finds nodes on which a GPU index changes its meaning. The meaning follows from the order of
 * gres.conf within a type, the order of types in Gres=, and devices.conf. A running job keeps its
 * indexes: if they stand for other devices, another job is given the devices that it uses.
 */
public final class DeviceOrder {
  private static final String NODE_NAME = "NodeName=";
  private static final String SLURM_CONF = "slurm.conf";
  private static final String LUA = ".lua";
  private static final String OTHER_FACTS =
      "(Total|Reserved|Context)Bytes=\\S*|(?<!Node)Name=(\"[^\"]*\"|\\S*)";

  private final Path folder;
  private final Predicate<String> nodes;
  private final Map<Path, ConfFile> instead = new LinkedHashMap<>();

  private DeviceOrder(Path folder, Map<String, byte[]> files, Predicate<String> nodes) {
    this.folder = folder;
    this.nodes = nodes;
    files.forEach(
        (name, bytes) -> {
          Path path = folder.resolve(name).toAbsolutePath().normalize();
          if (!name.endsWith(LUA)) {
            instead.put(path, ConfFile.parse(path, bytes));
          }
        });
  }

  /**
   * The nodes on which an index would stand for another device. If the current meaning cannot be
   * determined, all nodes that will have GPUs.
   *
   * @param files the new files, by name
   * @throws GresException if Slurm would reject the new files
   */
  public static Set<String> moved(Path folder, Map<String, byte[]> files) {
    return moved(folder, files, node -> true);
  }

  /** As above, for some nodes only. */
  public static Set<String> moved(Path folder, Map<String, byte[]> files, Predicate<String> nodes) {
    Map<String, List<String>> then = new DeviceOrder(folder, files, nodes).byNode();
    Map<String, List<String>> now;
    try {
      now = new DeviceOrder(folder, Map.of(), nodes).byNode();
    } catch (GresException e) {
      now = Map.of();
    }
    Set<String> moved = new HashSet<>();
    for (Map.Entry<String, List<String>> node : then.entrySet()) {
      if (!Objects.equals(now.getOrDefault(node.getKey(), List.of()), node.getValue())) {
        moved.add(node.getKey());
      }
    }
    return moved;
  }

  private Map<String, List<String>> byNode() {
    Path gresConf = path(GresFiles.GRES_CONF);
    GresConfig gres =
        instead.containsKey(gresConf) || Files.exists(gresConf)
            ? GresConfig.of(ConfTree.read(gresConf, ConfKind.GRES_CONF, instead))
            : null;
    Map<String, List<String>> devices = devices();
    Map<String, List<String>> byNode = new LinkedHashMap<>();
    for (SlurmNode node : slurmConfig().nodes()) {
      if (!nodes.test(node.name())) {
        continue;
      }
      List<String> meaning = new ArrayList<>(types(node));
      if (!meaning.isEmpty() && gres != null) {
        gres.linesFor(node.name()).stream()
            .filter(GresLineKinds::isGpu)
            .forEach(line -> meaning.add(text(line)));
        meaning.add(gres.autoDetect(node.name()).map(set -> set.value()).orElse(""));
      }
      meaning.addAll(devices.getOrDefault(NODE_NAME + node.name(), List.of()));
      byNode.put(node.name(), meaning);
    }
    return byNode;
  }

  private SlurmConfig slurmConfig() {
    return SlurmConfig.of(ConfTree.read(path(SLURM_CONF), ConfKind.SLURM_CONF, instead));
  }

  private static List<String> types(SlurmNode node) {
    return node.gres().map(GresSpec::parse).orElse(List.of()).stream()
        .filter(spec -> spec.name().equals(NodePlan.GPU))
        .map(spec -> spec.type().orElse(""))
        .toList();
  }

  private static String text(GresLine line) {
    return "%s %s %s %d".formatted(line.type(), line.files(), line.multipleFiles(), line.count());
  }

  /** The devices by node, without their memory sizes: another size does not move a device. */
  private Map<String, List<String>> devices() {
    Path path = path(GresFiles.DEVICES_CONF);
    try {
      byte[] bytes =
          instead.containsKey(path)
              ? instead.get(path).bytes()
              : Files.exists(path) ? Files.readAllBytes(path) : new byte[0];
      return new String(bytes, StandardCharsets.ISO_8859_1)
          .lines()
          .filter(line -> nodes.test(nodeOf(line)))
          .map(line -> line.replaceAll(OTHER_FACTS, "").replaceAll("\\s+", " ").strip())
          .collect(Collectors.groupingBy(line -> line.split(" ", 2)[0]));
    } catch (IOException e) {
      throw new GresException(
          path + " cannot be read (" + IoReason.of(e) + ")", "make it readable", e);
    }
  }

  private static String nodeOf(String line) {
    String first = line.strip().split("\\s", 2)[0];
    return first.startsWith(NODE_NAME) ? first.substring(NODE_NAME.length()) : "";
  }

  private Path path(String name) {
    return folder.resolve(name).toAbsolutePath().normalize();
  }
}
