package org.schedgpu.gres.rule;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;
import org.schedgpu.gres.files.CurrentGresConf;
import org.schedgpu.gres.files.GresLineKinds;
import org.schedgpu.gres.plan.NodePlan;

/**
 * The types by which users know a node's devices, read from the files in place. A plan must not
 * rename them, because then every {@code --gres=gpu:a100} would be rejected. Immutable.
 */
final class CurrentTypes {
  private final Optional<CurrentGresConf> gresConf;
  private final Function<String, String> gresOf;
  private final Set<String> exclusiveTypes = new HashSet<>();

  /**
   * @param gresConf the file in place, if it is known
   * @param gresOf by node name, Gres= of slurm.conf; empty text if it is not known
   * @param rules rules whose exclusive types do not count as names of devices
   */
  CurrentTypes(
      Optional<CurrentGresConf> gresConf, Function<String, String> gresOf, List<PlanRule> rules) {
    this.gresConf = gresConf;
    this.gresOf = gresOf;
    rules.forEach(rule -> exclusiveTypes.add(rule.exclusiveType().toLowerCase(Locale.ROOT)));
  }

  /**
   * The types by device index: the type of the device's line in gres.conf, else that of another
   * device of the same name. Without any such line, the single type of slurm.conf if all devices
   * have one name. Devices whose type is not known are left out.
   */
  Map<Integer, String> of(NodeFacts node) {
    Map<Integer, String> types = listed(node);
    if (types.isEmpty()) {
      only(node).ifPresent(type -> node.devices().forEach(d -> types.put(d.index(), type)));
      return types.isEmpty() ? named(node) : types;
    }
    Map<String, Set<String>> byName = new HashMap<>();
    for (Device device : node.devices()) {
      Optional.ofNullable(types.get(device.index()))
          .ifPresent(t -> byName.computeIfAbsent(device.name(), n -> new HashSet<>()).add(t));
    }
    for (Device device : node.devices()) {
      Set<String> ofName = byName.getOrDefault(device.name(), Set.of());
      if (ofName.size() == 1) {
        types.putIfAbsent(device.index(), ofName.iterator().next());
      }
    }
    return types;
  }

  private Map<Integer, String> listed(NodeFacts node) {
    Map<Integer, String> types = new HashMap<>();
    List<String> known = typesOfSlurmConf(node);
    for (Device device : node.devices()) {
      gresConf
          .flatMap(conf -> conf.type(node.nodeName(), device.file()))
          .filter(this::isName)
          .map(type -> slurmConfSpelling(type, known))
          .ifPresent(type -> types.put(device.index(), type));
    }
    return types;
  }

  /**
   * The spelling in slurm.conf: slurmd accepts a100 for A100 but slurmctld does not, so jobs must
   * use slurm.conf's.
   *
   * @param known the types in slurm.conf
   */
  private static String slurmConfSpelling(String type, List<String> known) {
    return known.contains(type)
        ? type
        : known.stream().filter(type::equalsIgnoreCase).findFirst().orElse(type);
  }

  /**
   * The only type in Gres=. Gres= names no device files, so several types cannot be assigned to
   * devices.
   */
  private Optional<String> only(NodeFacts node) {
    if (node.devices().stream().map(Device::name).distinct().count() > 1) {
      return Optional.empty();
    }
    List<String> types = typesOfSlurmConf(node);
    return types.size() == 1 ? Optional.of(types.get(0)) : Optional.empty();
  }

  /** AutoDetect= gives a device the type that is part of its name, and so does this method. */
  private Map<Integer, String> named(NodeFacts node) {
    Map<Integer, String> types = new HashMap<>();
    if (gresConf.filter(conf -> conf.detects(node.nodeName())).isPresent()) {
      List<String> known = typesOfSlurmConf(node);
      for (Device device : node.devices()) {
        String name = device.name().toLowerCase(Locale.ROOT).replace(' ', '_');
        List<String> fitting =
            known.stream().filter(type -> name.contains(type.toLowerCase(Locale.ROOT))).toList();
        if (fitting.size() == 1) {
          types.put(device.index(), fitting.get(0));
        }
      }
    }
    return types;
  }

  private List<String> typesOfSlurmConf(NodeFacts node) {
    return GresSpec.parse(gresOf.apply(node.nodeName())).stream()
        .filter(spec -> spec.name().equalsIgnoreCase(NodePlan.GPU))
        .flatMap(spec -> spec.type().stream())
        .filter(this::isName)
        .distinct()
        .toList();
  }

  private boolean isName(String type) {
    return !exclusiveTypes.contains(type.toLowerCase(Locale.ROOT))
        && !GresLineKinds.isMigType(type);
  }
}
