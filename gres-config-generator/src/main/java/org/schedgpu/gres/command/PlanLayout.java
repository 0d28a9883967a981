package org.schedgpu.gres.command;

import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.SlurmVersion;
import org.schedgpu.gres.plan.Affinity;
import org.schedgpu.gres.plan.LinkRule;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.plan.ShardRule;
import org.schedgpu.gres.rule.Planner;
import org.schedgpu.gres.site.SlurmConfSettings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code plan} that decide how the virtual GPUs are written. */
final class PlanLayout {
  @Option(
      names = "--affinity",
      paramLabel = "WORD",
      converter = AffinityConverter.class,
      description =
          "links (default): jobs of several GPUs get different devices; cores: a job's CPUs are near "
              + "its device; Slurm cannot do both. none: neither.")
  Affinity affinity;

  @Option(names = "--no-links", description = "As --affinity none.")
  boolean noLinks;

  @Option(
      names = "--gpumem",
      description = "Counts the memory of shared devices: jobs ask --gres=gpu:1,gpumem:6G.")
  boolean gpuMemory;

  @Option(
      names = "--control-file",
      paramLabel = "FILE",
      description = "Control device file. Default: nvidiactl beside the device file.")
  String controlFile;

  @Option(names = "--plugstack", paramLabel = "FILE", description = "PlugStackConfig.")
  String plugStack;

  @Option(names = "--prolog", paramLabel = "FILE", description = "Prolog.")
  String prolog;

  @Option(names = "--epilog", paramLabel = "FILE", description = "Epilog.")
  String epilog;

  @Option(
      names = "--prolog-epilog-timeout",
      paramLabel = "SECONDS",
      description = "PrologEpilogTimeout. Default: 60.")
  int timeoutSeconds = SlurmConfSettings.DEFAULT_TIMEOUT_SECONDS;

  /**
   * @throws ParameterException if the options exclude each other
   */
  void check(CommandSpec spec, Optional<ShardRule> shards) {
    boolean byMemory = shards.isPresent();
    if (byMemory && (affinity == Affinity.LINKS || gpuMemory || controlFile != null)) {
      throw new ParameterException(
          spec.commandLine(),
          "--by-memory and %s do not go together"
              .formatted(
                  gpuMemory
                      ? "--gpumem"
                      : controlFile != null ? "--control-file" : "--affinity links"));
    }
    if (noLinks && affinity != null) {
      throw new ParameterException(
          spec.commandLine(), "--affinity and --no-links do not go together");
    }
  }

  /** The settings that all nodes have in common. */
  Planner.NodeLayout nodeLayout(SlurmVersion version, Optional<ShardRule> shards) {
    return new Planner.NodeLayout(
        affinity(shards),
        Optional.ofNullable(controlFile),
        gpuMemory,
        LinkRule.of(version),
        shards);
  }

  Affinity affinity(Optional<ShardRule> shards) {
    Affinity usual = shards.isPresent() ? Affinity.NONE : Affinity.LINKS;
    Affinity given = affinity == null ? usual : affinity;
    return noLinks ? Affinity.NONE : given;
  }

  /** The settings of slurm.conf other than counts. */
  SlurmConfSettings settings() {
    return new SlurmConfSettings(
        Optional.ofNullable(plugStack),
        Optional.ofNullable(prolog),
        Optional.ofNullable(epilog),
        timeoutSeconds,
        Map.of());
  }

  static final class AffinityConverter implements ITypeConverter<Affinity> {
    @Override
    public Affinity convert(String word) {
      try {
        return Affinity.of(word);
      } catch (GresException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  static final class OrderConverter implements ITypeConverter<Order> {
    @Override
    public Order convert(String word) {
      try {
        return Order.of(word);
      } catch (GresException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
