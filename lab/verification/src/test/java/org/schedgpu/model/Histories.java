package org.schedgpu.model;

import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import org.schedgpu.jna.Policy;

/**
 * Random histories with few devices, jobs and sizes, so that requests often just fit or just do not
 * fit.
 */
final class Histories {
  static final int MAX_DEVICES = 3;
  static final int MAX_UNITS = 14;

  private Histories() {}

  static Arbitrary<History> all() {
    return Arbitraries.oneOf(
        IntStream.rangeClosed(1, MAX_DEVICES).mapToObj(Histories::onDevices).toList());
  }

  private static Arbitrary<History> onDevices(int devices) {
    return Combinators.combine(node(devices), new Steps(devices).all()).as(History::new);
  }

  static Arbitrary<Integer> number(int from, int to) {
    return Arbitraries.integers().between(from, to).withDistribution(RandomDistribution.uniform());
  }

  static Arbitrary<NodeSpec> node(int devices) {
    return Combinators.combine(
            device().list().ofSize(devices),
            Arbitraries.of(Policy.class),
            Arbitraries.of(0, 1, 2, 8),
            Arbitraries.of(0L, 0L, 5L),
            Arbitraries.of(DeadlockRule.class))
        .as(NodeSpec::new);
  }

  private static Arbitrary<DeviceSpec> device() {
    return Combinators.combine(size(4, MAX_UNITS), size(0, 2), size(0, 2)).as(DeviceSpec::new);
  }

  /** This number of units, sometimes a little less. */
  static Arbitrary<Long> size(int fromUnits, int toUnits) {
    Arbitrary<Integer> less = Arbitraries.frequency(Tuple.of(15, 0), Tuple.of(1, 100));
    return Combinators.combine(number(fromUnits, toUnits), less)
        .as((units, bytes) -> Math.max(0, Action.bytes(units) - bytes));
  }
}
