package org.schedgpu.gres.rule;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.plan.Order;

/**
 * A rule for some devices: {@code nodes=gpu[01-04,7],type=a100,per-gpu=12,order=pack}.
 *
 * @param text the rule as it was given, for messages
 * @param nodes the nodes to which it applies; empty: all
 * @param type the type to which it applies; empty: all
 * @param shares the number of shares of a device
 * @param keepExclusive number of devices, counted from the last, that stay whole, 0 to 15
 * @param exclusiveType Type of the devices that stay whole
 */
public record PlanRule(
    String text,
    Optional<Set<String>> nodes,
    Optional<String> type,
    ShareRule shares,
    Order order,
    int keepExclusive,
    String exclusiveType) {

  /** The values for keys that a rule does not contain. */
  public record Defaults(
      Optional<ShareRule> shares, Order order, int keepExclusive, String exclusiveType) {
    /** The rule for all other devices; empty if no number of shares is given. */
    public Optional<PlanRule> asRule() {
      return shares.map(
          rule ->
              new PlanRule(
                  "",
                  Optional.empty(),
                  Optional.empty(),
                  rule,
                  order,
                  keepExclusive,
                  exclusiveType));
    }
  }

  /** True if the rule applies to the devices of a type on a node. */
  boolean matches(String node, String gresType) {
    return nodes.map(set -> set.contains(node)).orElse(true)
        && type.map(t -> t.equalsIgnoreCase(gresType)).orElse(true);
  }

  /**
   * Reads a value of {@code --rule}.
   *
   * @throws GresException if a key or value is not known, or no number of shares is given
   */
  public static PlanRule parse(String text, Defaults defaults) {
    try {
      RuleParser words = RuleParser.of(text);
      PlanRule rule =
          new PlanRule(
              text,
              words.take("nodes").map(list -> new HashSet<>(Hostlist.expand(list))),
              words.take("type").map(Check::gresType),
              shares(words).or(defaults::shares).orElseThrow(PlanRule::noShares),
              words.take("order").map(Order::of).orElse(defaults.order()),
              words.number("keep-exclusive", 0, 15).orElse(defaults.keepExclusive()),
              words
                  .take("exclusive-type")
                  .map(Check::newGresType)
                  .orElse(defaults.exclusiveType()));
      words.requireNoMore();
      return rule;
    } catch (GresException e) {
      throw e.in("rule " + Check.quoted(text));
    }
  }

  private static Optional<ShareRule> shares(RuleParser words) {
    Optional<ShareRule> perGpu =
        words.number("per-gpu", 1, NodePlan.MAX_SHARES).map(ShareRule::perGpu);
    Optional<ShareRule> perCpu = words.flag("per-cpu").map(yes -> ShareRule.perCpu());
    Optional<ShareRule> share = words.take("share").map(ShareRule::ofMemory);
    if ((perGpu.isPresent() ? 1 : 0) + (perCpu.isPresent() ? 1 : 0) + (share.isPresent() ? 1 : 0)
        > 1) {
      throw new GresException(
          "it has two numbers of shares", "keep one of per-gpu, per-cpu, share");
    }
    return perGpu.or(() -> perCpu).or(() -> share);
  }

  private static GresException noShares() {
    return new GresException(
        "nothing says how many shares", "add per-gpu=N, per-cpu or share=SIZE to it");
  }
}
