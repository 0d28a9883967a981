package org.schedgpu.model;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random histories: few devices, jobs and sizes, so that what just fits and just does not is met.
 */
final class Histories {
  private static final int MAX_STEPS = 200;
  private static final int MAX_DEVICES = 3;
  private static final int JOBS = 8;
  private static final int MAX_UNITS = 14;

  private final Features features;

  Histories(Features features) {
    this.features = features;
  }

  /** What the core can do already. */
  record Features(boolean gate, boolean severalProcesses, boolean avoid) {}

  Arbitrary<History> all() {
    Arbitrary<List<Action>> actions =
        action().list().ofMaxSize(MAX_STEPS).withSizeDistribution(RandomDistribution.uniform());
    return Combinators.combine(node(), actions).as(History::new);
  }

  private static Arbitrary<Integer> number(int from, int to) {
    return Arbitraries.integers().between(from, to).withDistribution(RandomDistribution.uniform());
  }

  private Arbitrary<NodeSpec> node() {
    Arbitrary<List<DeviceSpec>> devices = device().list().ofMinSize(1).ofMaxSize(MAX_DEVICES);
    return Combinators.combine(
            devices,
            Arbitraries.of(Policy.class),
            Arbitraries.of(0, 1, 2, 8),
            Arbitraries.of(0L, 0L, 5L),
            features.avoid
                ? Arbitraries.of(DeadlockRule.class)
                : Arbitraries.of(DeadlockRule.DETECT))
        .as(NodeSpec::new);
  }

  private static Arbitrary<DeviceSpec> device() {
    return Combinators.combine(number(4, MAX_UNITS), number(0, 2), number(0, 2))
        .as(
            (total, reserved, context) ->
                new DeviceSpec(Action.bytes(total), Action.bytes(reserved), Action.bytes(context)));
  }

  private Arbitrary<Action> action() {
    return Arbitraries.frequencyOf(
        Tuple.of(10, begin()),
        Tuple.of(2, job().map(Action.End::new)),
        Tuple.of(20, Combinators.combine(slot(), job()).as(Action.Attach::new)),
        Tuple.of(1, owner().map(Action.AttachOwner::new)),
        Tuple.of(1, owner().map(Action.Remove::new)),
        Tuple.of(5, slot().map(Action.Remove::new)),
        Tuple.of(50, ask()),
        Tuple.of(20, slot().map(Action.Take::new)),
        Tuple.of(5, slot().map(Action.Cancel::new)),
        Tuple.of(15, giveBack()),
        Tuple.of(2, Combinators.combine(slot(), device(0)).as(Action.LeaveContext::new)),
        Tuple.of(1, Arbitraries.of(Policy.class).map(Action.SetPolicy::new)),
        Tuple.of(3, number(1, 8).map(Action.Pass::new)));
  }

  private static Arbitrary<Integer> slot() {
    return number(0, Twin.SLOTS - 1);
  }

  private static Arbitrary<Integer> owner() {
    return number(Twin.SLOTS, Twin.SLOTS + Twin.OWNERS - 1);
  }

  private static Arbitrary<Long> job() {
    return number(1, JOBS).map(Integer::longValue);
  }

  /** A device; sometimes one that is not there. */
  private static Arbitrary<Integer> device(int beyond) {
    return number(0, MAX_DEVICES - 1 + beyond);
  }

  private Arbitrary<Action> begin() {
    Arbitrary<Integer> processes =
        features.severalProcesses ? Arbitraries.of(1, 1, 2, 3) : Arbitraries.just(1);
    Arbitrary<Mode> modes =
        features.gate
            ? Arbitraries.of(Mode.PEAK, Mode.PEAK, Mode.ONDEMAND, Mode.ONDEMAND, Mode.GATE)
            : Arbitraries.of(Mode.PEAK, Mode.ONDEMAND);
    return Combinators.combine(
            job(),
            Arbitraries.frequency(Tuple.of(19, 1), Tuple.of(1, 2)),
            modes,
            budgets(),
            Arbitraries.frequency(Tuple.of(30, 10), Tuple.of(30, 50), Tuple.of(1, 101)),
            processes,
            Arbitraries.frequency(
                Tuple.of(20, 1),
                Tuple.of(8, 2),
                Tuple.of(12, 3),
                Tuple.of(4, 5),
                Tuple.of(4, 7),
                Tuple.of(1, 0)),
            Arbitraries.frequencyOf(Tuple.of(9, Arbitraries.just(-1)), Tuple.of(1, owner())))
        .as(Action.Begin::new);
  }

  /** On all devices, or (ondemand) on none, rarely on some. */
  private static Arbitrary<List<Integer>> budgets() {
    Arbitrary<List<Integer>> all = number(1, 8).list().ofSize(MAX_DEVICES);
    Arbitrary<List<Integer>> some = number(0, 6).list().ofSize(MAX_DEVICES);
    return Arbitraries.frequencyOf(
        Tuple.of(8, all), Tuple.of(3, Arbitraries.just(List.of(0, 0, 0))), Tuple.of(1, some));
  }

  private Arbitrary<Action> ask() {
    Arbitrary<Kind> kinds =
        features.gate
            ? Arbitraries.frequency(
                Tuple.of(8, Kind.MEMORY), Tuple.of(2, Kind.CONTEXT), Tuple.of(1, Kind.GATE))
            : Arbitraries.frequency(Tuple.of(8, Kind.MEMORY), Tuple.of(2, Kind.CONTEXT));
    Arbitrary<Boolean> mayWait = Arbitraries.frequency(Tuple.of(8, true), Tuple.of(1, false));
    return Combinators.combine(slot(), device(0), bytes(), kinds, mayWait).as(Action.Ask::new);
  }

  private static Arbitrary<Long> bytes() {
    return Arbitraries.frequencyOf(
        Tuple.of(30, number(1, 6).map(Action::bytes)),
        Tuple.of(10, number(1, MAX_UNITS).map(Action::bytes)),
        Tuple.of(
            2, Arbitraries.of(0L, 1L, 511L, 513L, 0xFFFF_FFFFL * 512, 0xFFFF_FFFFL * 512 + 1)));
  }

  private static Arbitrary<Action> giveBack() {
    Arbitrary<Optional<Integer>> part =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(Optional.empty())),
            Tuple.of(1, number(1, 3).map(Optional::of)));
    return Combinators.combine(slot(), device(0), part).as(Action.GiveBack::new);
  }
}
