package org.schedgpu.gres.rule;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Place;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresLineKinds;
import org.schedgpu.gres.plan.NodePlan;

/**
 * Finds devices that the files in place have and the facts lack: a GPU that was off the bus while
 * the facts were written would vanish from the cluster, perhaps with an unchanged count. For one
 * use, not thread-safe.
 */
public final class MissingDevices {
  private static final String ACTION =
      "if it is off the bus or has another file now, correct that and write the facts again;"
          + " --remove-missing removes it from the cluster";

  private final CurrentGresConf gresConf;
  private final Function<String, String> gresOf;
  private final Map<Missing, List<String>> nodesByMissing = new LinkedHashMap<>();

  /** The missing devices of a node. */
  private record Missing(Place place, String devices, String facts) {
    String words(String verb) {
      return verb + " " + devices + ", which its facts lack (" + facts + ")";
    }
  }

  /**
   * A check against the files in place.
   *
   * @param gresOf by node name, Gres= of slurm.conf; empty text if it is not known
   */
  public MissingDevices(CurrentGresConf gresConf, Function<String, String> gresOf) {
    this.gresConf = gresConf;
    this.gresOf = gresOf;
  }

  /**
   * Checks the planned nodes.
   *
   * @param removes whether missing devices are to be removed
   * @return warnings about the removed devices
   * @throws GresException naming the line and the device, if they are not to be removed
   */
  public List<String> check(List<NodeFacts> facts, Set<String> planned, boolean removes) {
    facts.stream().filter(node -> planned.contains(node.nodeName())).forEach(this::check);
    List<String> warnings = new ArrayList<>();
    nodesByMissing.forEach(
        (missing, nodes) -> {
          String names = Hostlist.compress(nodes);
          if (!removes) {
            throw missing
                .place()
                .error("node " + names + " " + missing.words("has") + others(missing), ACTION);
          }
          warnings.add(missing.place().warning("node " + names + " " + missing.words("loses")));
        });
    return warnings;
  }

  private String others(Missing first) {
    List<String> others = new ArrayList<>();
    nodesByMissing.forEach(
        (missing, nodes) -> others.addAll(missing.equals(first) ? List.of() : nodes));
    return others.isEmpty()
        ? ""
        : ", and %s the like".formatted(Hostlist.compress(others.stream().distinct().toList()));
  }

  private void check(NodeFacts node) {
    Map<String, GresLine> lines = lines(node.nodeName());
    Set<String> known = node.devices().stream().map(Device::file).collect(Collectors.toSet());
    long matched = known.stream().filter(lines::containsKey).count();
    if (lines.isEmpty()) {
      detected(node);
    } else if (isShared(node.nodeName()) || gpus(node.nodeName()) > matched) {
      lines.forEach(
          (file, line) -> {
            if (!known.contains(file)) {
              add(node, line.line().place(), file);
            }
          });
    }
  }

  /**
   * True if the line may cover several nodes; such a node may have only some of its devices, and
   * Gres= says how many.
   */
  private boolean isShared(String node) {
    return gpus(node) == 0
        || gresConf.linesFor(node).stream().anyMatch(l -> gresConf.isOurs(l.line()));
  }

  private Map<String, GresLine> lines(String node) {
    Map<String, GresLine> lines = new LinkedHashMap<>();
    for (GresLine line : gresConf.linesFor(node)) {
      GresLineKinds.devices(line).forEach(file -> lines.putIfAbsent(file, line));
    }
    return lines;
  }

  private void detected(NodeFacts node) {
    Optional<Setting> detector =
        gresConf
            .config()
            .autoDetect(node.nodeName())
            .filter(setting -> !CurrentGresConf.isOff(setting.value()));
    long now = gpus(node.nodeName());
    int devices = node.devices().size();
    if (detector.isPresent() && now > devices) {
      add(node, detector.get().place(), "%d of %d GPUs in Gres=".formatted(now - devices, now));
    }
  }

  private void add(NodeFacts node, Place place, String devices) {
    String facts = node.devices().stream().map(Device::file).collect(Collectors.joining(", "));
    nodesByMissing
        .computeIfAbsent(new Missing(place, devices, facts), m -> new ArrayList<>())
        .add(node.nodeName());
  }

  /** Whole GPUs of slurm.conf, without MIG instances. */
  private long gpus(String node) {
    return GresSpec.parse(gresOf.apply(node)).stream()
        .filter(spec -> spec.name().equalsIgnoreCase(NodePlan.GPU))
        .filter(spec -> spec.type().stream().noneMatch(GresLineKinds::isMigType))
        .mapToLong(GresSpec::count)
        .sum();
  }
}
