package org.schedgpu.agent.slurm;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.files.GresLineKinds;

/** Compares Gres= of this node in slurm.conf with its lines in gres.conf. */
public final class NodeGresCheck {
  private static final String WHAT = "gres";
  private static final String GPU = "gpu";
  private static final String CORRECT = "correct that: slurmd and slurmctld read the file";

  private NodeGresCheck() {}

  /** A finding; empty if slurm.conf does not name the node, or has no GPU of it. */
  public static Optional<Finding> check(Path slurmConf, String node) {
    try {
      return SlurmConfig.read(slurmConf).nodes().stream()
          .filter(known -> known.name().equals(node) || known.hostname().equals(node))
          .findFirst()
          .flatMap(known -> check(slurmConf, known));
    } catch (GresException problem) {
      return Optional.of(Finding.problem(WHAT, problem.getMessage(), CORRECT));
    }
  }

  private static Optional<Finding> check(Path slurmConf, SlurmNode node) {
    List<GresSpec> specs = node.gres().map(GresSpec::parse).orElse(List.of());
    Path gresConf = slurmConf.resolveSibling("gres.conf");
    if (!Files.exists(gresConf)) {
      return count(specs, GPU) == 0
          ? Optional.empty()
          : Optional.of(
              Finding.problem(
                  WHAT,
                  "%s says Gres=%s for %s, and there is no %s"
                      .formatted(
                          slurmConf, node.gres().orElseThrow().value(), node.name(), gresConf),
                  "put the files of schedgpu gres plan in place"));
    }
    GresConfig config = GresConfig.read(gresConf);
    if (config.autoDetect(node.name()).filter(detect -> !isOff(detect.value())).isPresent()) {
      return Optional.empty(); // only slurmd knows what it finds
    }
    List<GresLine> lines = config.linesFor(node.name());
    List<String> wrong = differences(specs, lines);
    if (wrong.isEmpty()) {
      return specs.isEmpty()
          ? Optional.empty()
          : Optional.of(
              Finding.ok(
                  WHAT,
                  "slurm.conf and gres.conf have the same for %s: %s"
                      .formatted(node.name(), node.gres().orElseThrow().value())));
    }
    return Optional.of(
        Finding.problem(
            WHAT,
            "%s and gres.conf differ for %s: %s"
                .formatted(slurmConf, node.name(), String.join("; ", wrong)),
            "plan and apply again, then restart slurmctld and slurmd (schedgpu gres rollout)"));
  }

  private static boolean isOff(String detect) {
    return detect.equalsIgnoreCase("off");
  }

  /** GPUs always, another GRES only where gres.conf has lines of it. */
  private static List<String> differences(List<GresSpec> specs, List<GresLine> lines) {
    TreeSet<String> names = new TreeSet<>(List.of(GPU));
    lines.forEach(line -> names.add(line.name().toLowerCase(Locale.ROOT)));
    List<String> wrong = new ArrayList<>();
    for (String name : names) {
      long slurm = count(specs, name);
      List<GresLine> own = lines.stream().filter(l -> l.name().equalsIgnoreCase(name)).toList();
      long gres = count(own);
      if (slurm != gres) {
        wrong.add("slurm.conf has %s:%d, gres.conf %s:%d".formatted(name, slurm, name, gres));
        continue;
      }
      for (String type : types(specs, own)) {
        long typed = specs.stream().filter(s -> is(s, name, type)).mapToLong(GresSpec::count).sum();
        long there = count(own.stream().filter(l -> isType(l.type(), type)).toList());
        if (typed != there) {
          wrong.add(
              "slurm.conf has %s:%s:%d, gres.conf %s:%s:%d"
                  .formatted(name, type, typed, name, type, there));
        }
      }
    }
    return wrong;
  }

  /** The types of a GRES; none unless both files name one everywhere. */
  private static List<String> types(List<GresSpec> specs, List<GresLine> own) {
    boolean named =
        own.stream().allMatch(line -> line.type().isPresent())
            && specs.stream()
                .filter(s -> own.stream().anyMatch(l -> l.name().equalsIgnoreCase(s.name())))
                .allMatch(s -> s.type().isPresent());
    return named
        ? own.stream()
            .map(line -> line.type().orElseThrow().toLowerCase(Locale.ROOT))
            .distinct()
            .toList()
        : List.of();
  }

  private static boolean is(GresSpec spec, String name, String type) {
    return spec.name().equalsIgnoreCase(name) && isType(spec.type(), type);
  }

  private static boolean isType(Optional<String> has, String type) {
    return has.filter(type::equalsIgnoreCase).isPresent();
  }

  private static long count(List<GresSpec> specs, String name) {
    return specs.stream()
        .filter(s -> s.name().equalsIgnoreCase(name))
        .mapToLong(GresSpec::count)
        .sum();
  }

  private static long count(List<GresLine> lines) {
    return lines.stream().mapToLong(GresLine::count).sum();
  }

  /**
   * The problem of a node whose gres.conf has virtual GPUs while devices.conf is missing: empty if
   * each GPU is one device.
   *
   * @param devicesFile DevicesFile of schedgpu.conf, which is not there
   */
  public static Optional<Finding> withoutDevices(Path slurmConf, Path devicesFile, String node) {
    Path gresConf = slurmConf.resolveSibling("gres.conf");
    if (!Files.exists(gresConf)) {
      return Optional.empty();
    }
    List<String> devices;
    try {
      devices =
          GresConfig.read(gresConf).linesFor(node).stream()
              .flatMap(line -> GresLineKinds.devices(line).stream())
              .toList();
    } catch (GresException problem) {
      return Optional.empty(); // the other check reports it
    }
    long distinct = devices.stream().distinct().count();
    if (distinct == devices.size()) {
      return Optional.empty();
    }
    Path planned = slurmConf.resolveSibling("devices.conf");
    return Optional.of(
        Finding.problem(
            "devices",
            "there is no %s, and gres.conf has %d virtual GPUs on %s: jobs run without GPU memory scheduling"
                .formatted(devicesFile, devices.size(), Texts.count(distinct, "device", "devices")),
            Files.exists(planned)
                ? "ln -s %s %s".formatted(planned, devicesFile)
                : "copy devices.conf of schedgpu gres apply to it: Slurm does not distribute it"));
  }
}
