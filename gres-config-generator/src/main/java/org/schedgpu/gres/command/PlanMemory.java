package org.schedgpu.gres.command;

import java.util.Optional;
import org.schedgpu.gres.plan.ShardRule;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@code plan --by-memory}. */
final class PlanMemory {
  private static final String UNIT = "1G";
  private static final String OVERBOOK = "1.0";

  @Option(
      names = "--unit",
      paramLabel = "SIZE",
      description = "Memory of one shard. Default: " + UNIT + ".")
  private String unit;

  @Option(
      names = "--overbook",
      paramLabel = "FACTOR",
      description =
          "How many times the memory of a device is given out, such as 1.5. Default: "
              + OVERBOOK
              + ".")
  private String overbook;

  /**
   * The rule; empty for m x n.
   *
   * @throws ParameterException if the options exclude each other
   */
  Optional<ShardRule> rule(CommandSpec spec, boolean byMemory, PlanRules rules) {
    if (!byMemory && (unit != null || overbook != null)) {
      throw new ParameterException(
          spec.commandLine(), (unit != null ? "--unit" : "--overbook") + " needs --by-memory");
    }
    if (byMemory && (!rules.rules.isEmpty() || rules.keepExclusive > 0)) {
      throw new ParameterException(
          spec.commandLine(),
          "--by-memory and %s do not go together"
              .formatted(rules.rules.isEmpty() ? "--keep-exclusive" : "--rule"));
    }
    return byMemory
        ? Optional.of(
            ShardRule.parse(unit == null ? UNIT : unit, overbook == null ? OVERBOOK : overbook))
        : Optional.empty();
  }
}
