package org.schedgpu.gres.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.rule.PlanRule;
import org.schedgpu.gres.rule.ShareRule;
import picocli.CommandLine.Option;

/** The options of {@code plan} that assign shares to devices. */
final class PlanRules {
  @Option(
      names = "--rule",
      paramLabel = "KEY=VALUE,...",
      description =
          "For some devices instead of the above: nodes=HOSTLIST, type=TYPE, per-gpu=N, per-cpu,"
              + " share=SIZE, order=ORDER, keep-exclusive=K, exclusive-type=TYPE. Repeatable; the"
              + " first that matches counts, the options without --rule come last.")
  List<String> rules = new ArrayList<>();

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      converter = PlanLayout.OrderConverter.class,
      description = "spread (default): devices alternate; pack: a device is filled first.")
  Order order = Order.SPREAD;

  @Option(
      names = "--keep-exclusive",
      paramLabel = "K",
      description = "The last K devices of each type on a node stay whole.")
  int keepExclusive;

  @Option(
      names = "--exclusive-type",
      paramLabel = "TYPE",
      description = "Type in Slurm of devices that stay whole. Default: full.")
  String exclusiveType = "full";

  @Option(
      names = "--type",
      paramLabel = "[NAME=]TYPE",
      description =
          "Type in Slurm of all devices, or of those of a name; '' for none. Default: the one they"
              + " have in the files in place, else made from the name. Repeatable with NAME=.")
  List<String> types = new ArrayList<>();

  /** The rules, in the order in which they are tried. */
  List<PlanRule> rules(Optional<ShareRule> shares) {
    Check.range("--keep-exclusive", keepExclusive, 0, Device.MAX_DEVICES - 1);
    Check.newGresType(exclusiveType);
    PlanRule.Defaults defaults = new PlanRule.Defaults(shares, order, keepExclusive, exclusiveType);
    List<PlanRule> all = new ArrayList<>();
    rules.forEach(text -> all.add(PlanRule.parse(text, defaults)));
    defaults.asRule().ifPresent(all::add);
    return all;
  }
}
