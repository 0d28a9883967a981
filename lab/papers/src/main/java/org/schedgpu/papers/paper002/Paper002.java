package org.schedgpu.papers.paper002;

import java.util.List;
import java.util.function.Consumer;
import org.schedgpu.papers.common.Part;

/** All of paper 002. */
public final class Paper002 {
  private Paper002() {}

  /**
   * Plays it.
   *
   * @param progress is told what begins
   */
  public static List<Part> parts(Consumer<String> progress) {
    Policies policies = Policies.ofTheCore();
    progress.accept("002: Table 2, Figures 2 to 5, the order of tasks");
    Part two = new TableTwo(policies.rbdm()).part();
    Part orders = WakeOrders.part(policies);
    progress.accept("002: Figures 6 to 10, three and 100 groups of twenty tasks");
    return List.of(two, orders, new Responses(policies).part());
  }
}
