package org.schedgpu.gres.files;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.UnchangedGroup;

/**
 * Classifies the lines of a gres.conf for a plan: GPUs, memory, Slurm's own sharing, MIG instances.
 */
public final class GresLineKinds {
  private static final Pattern MIG_TYPE = Pattern.compile(".*\\d+g\\.\\d+gb.*");
  private static final List<String> SHARING = List.of("shard", "mps");

  private GresLineKinds() {}

  static boolean isGpu(GresLine line) {
    return line.name().equalsIgnoreCase(NodePlan.GPU);
  }

  static boolean isMemory(GresLine line) {
    return line.name().equalsIgnoreCase(NodePlan.MEMORY);
  }

  /** True for Slurm's own sharing (shard, mps), which keeps gpu jobs off a shared device. */
  static boolean isSharing(GresLine line) {
    return SHARING.contains(line.name().toLowerCase(Locale.ROOT));
  }

  /** True for a MIG instance, recognized by its capability files or its type (1g.5gb). */
  static boolean isMig(GresLine line) {
    return isGpu(line)
        && (line.files().stream().anyMatch(file -> file.contains("/nvidia-caps/"))
            || line.type().map(GresLineKinds::isMigType).orElse(false));
  }

  public static boolean isMigType(String type) {
    return type.indexOf('.') > 0 && MIG_TYPE.matcher(type.toLowerCase(Locale.ROOT)).matches();
  }

  /**
   * The groups of the MIG instances in these lines.
   *
   * @throws GresException if an instance has no type, because Slurm would then count it for any
   *     type
   */
  static List<UnchangedGroup> kept(List<GresLine> lines) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (GresLine line : lines) {
      if (isMig(line)) {
        String type =
            line.type()
                .orElseThrow(
                    () ->
                        line.line()
                            .place()
                            .error(
                                "a MIG instance has no Type=",
                                "add one, such as Type=1g.5gb, here and in Gres= of slurm.conf"));
        counts.merge(type, (int) line.count(), Integer::sum);
      }
    }
    List<UnchangedGroup> kept = new ArrayList<>();
    counts.forEach((type, count) -> kept.add(new UnchangedGroup(type, count)));
    return kept;
  }

  /**
   * @throws GresException if lines that schedGPU did not write name a device more than once
   */
  static void requireOnce(String node, List<GresLine> lines) {
    Map<String, GresLine> seen = new LinkedHashMap<>();
    for (GresLine line : lines) {
      for (String file : devices(line)) {
        GresLine other = seen.put(file, line);
        if (other != null) {
          throw line.line()
              .place()
              .error(
                  "node %s has %s here and in line %d: it is shared already, not by schedgpu gres"
                      .formatted(node, file, other.line().place().line()),
                  "take the lines of the node out, or leave the node to no rule");
        }
      }
    }
  }

  /** The devices of a line. If a GRES has several files, the first is the device. */
  public static List<String> devices(GresLine line) {
    if (!isGpu(line) || isMig(line)) {
      return List.of();
    }
    return line.multipleFiles() ? line.files().subList(0, 1) : line.files();
  }

  /** Cores= of the line that names a device. */
  static Optional<String> cores(List<GresLine> lines, String file) {
    return lines.stream()
        .filter(line -> isGpu(line) && line.files().contains(file))
        .flatMap(line -> line.cores().stream())
        .findFirst();
  }

  /** Type= of the line that names a device. */
  static Optional<String> type(List<GresLine> lines, String file) {
    return lines.stream()
        .filter(line -> isGpu(line) && !isMig(line) && line.files().contains(file))
        .flatMap(line -> line.type().stream())
        .findFirst();
  }
}
