package org.schedgpu.model;

import static org.schedgpu.model.Histories.MAX_UNITS;
import static org.schedgpu.model.Histories.number;
import static org.schedgpu.model.Histories.size;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;
import org.schedgpu.jna.Policy;

/** Random steps on a node with this number of devices. */
final class Steps {
  private static final int MAX_STEPS = 200;
  static final int JOBS = 8;

  private final int devices;

  /** Mode, and whether the budget is growable. */
  private enum Style {
    PEAK(Mode.PEAK, false),
    PEAK_AND_MORE(Mode.PEAK, true),
    ONDEMAND(Mode.ONDEMAND, false),
    ALSO_ONDEMAND(Mode.ONDEMAND, false),
    GATE(Mode.GATE, false),
    IMPOSSIBLE(Mode.ONDEMAND, true);

    private final Mode mode;
    private final boolean overflowWaits;

    Style(Mode mode, boolean overflowWaits) {
      this.mode = mode;
      this.overflowWaits = overflowWaits;
    }
  }

  Steps(int devices) {
    this.devices = devices;
  }

  /** Jobs begin and processes attach; after that any step may follow. */
  Arbitrary<List<Action>> all() {
    Arbitrary<List<Action>> rest =
        action().list().ofMaxSize(MAX_STEPS).withSizeDistribution(RandomDistribution.uniform());
    return Combinators.combine(openings(), arrivals(), rest)
        .as((jobs, processes, steps) -> concat(List.of(jobs, processes, steps)));
  }

  static List<Action> concat(List<List<Action>> parts) {
    return parts.stream().flatMap(List::stream).toList();
  }

  private Arbitrary<List<Action>> openings() {
    List<Arbitrary<Action>> each =
        LongStream.rangeClosed(1, JOBS).mapToObj(id -> begin(Arbitraries.just(id))).toList();
    return Combinators.combine(each).as(list -> list);
  }

  Arbitrary<List<Action>> arrivals() {
    List<Arbitrary<Action>> each =
        IntStream.range(0, ModelAndCore.SLOTS)
            .mapToObj(slot -> job().map(job -> (Action) new Action.Attach(slot, job)))
            .toList();
    return Combinators.combine(each).as(list -> list);
  }

  Arbitrary<Action> action() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, begin(job())),
        Tuple.of(2, job().map(Action.End::new)),
        Tuple.of(10, Combinators.combine(slot(), job()).as(Action.Attach::new)),
        Tuple.of(1, owner().map(Action.AttachOwner::new)),
        Tuple.of(1, owner().map(Action.Remove::new)),
        Tuple.of(5, slot().map(Action.Remove::new)),
        Tuple.of(50, ask()),
        Tuple.of(20, slot().map(Action.Take::new)),
        Tuple.of(5, slot().map(Action.Cancel::new)),
        Tuple.of(15, giveBack()),
        Tuple.of(2, Combinators.combine(slot(), device()).as(Action.LeaveContext::new)),
        Tuple.of(3, unreserved()),
        Tuple.of(1, Arbitraries.of(Policy.class).map(Action.SetPolicy::new)),
        Tuple.of(3, number(1, 8).map(Action.Pass::new)));
  }

  static Arbitrary<Integer> slot() {
    return number(0, ModelAndCore.SLOTS - 1);
  }

  private static Arbitrary<Integer> owner() {
    return number(ModelAndCore.SLOTS, ModelAndCore.SLOTS + ModelAndCore.OWNERS - 1);
  }

  static Arbitrary<Long> job() {
    return number(1, JOBS).map(Integer::longValue);
  }

  Arbitrary<Integer> device() {
    return number(0, devices - 1);
  }

  /** Existing devices; rarely none, or one that does not exist. */
  private Arbitrary<Integer> mask() {
    int all = (1 << devices) - 1;
    return Arbitraries.frequencyOf(
        Tuple.of(20, Arbitraries.just(all)),
        Tuple.of(20, number(1, all)),
        Tuple.of(1, Arbitraries.of(0, 1 << devices)));
  }

  Arbitrary<Action> begin(Arbitrary<Long> job) {
    return Combinators.combine(
            job,
            Arbitraries.frequency(Tuple.of(19, 1), Tuple.of(1, 2)),
            Arbitraries.frequencyOf(
                Tuple.of(
                    30,
                    Arbitraries.of(
                        Style.PEAK,
                        Style.PEAK_AND_MORE,
                        Style.ONDEMAND,
                        Style.ALSO_ONDEMAND,
                        Style.GATE)),
                Tuple.of(1, Arbitraries.just(Style.IMPOSSIBLE))),
            budgets(),
            Arbitraries.frequency(Tuple.of(30, 10), Tuple.of(30, 50), Tuple.of(1, 101)),
            Arbitraries.of(1, 1, 2, 3),
            mask(),
            Arbitraries.frequencyOf(Tuple.of(9, Arbitraries.just(-1)), Tuple.of(1, owner())))
        .as(Steps::begin);
  }

  private static Action begin(
      long id,
      int uid,
      Style style,
      List<Long> budget,
      int priority,
      int processes,
      int mask,
      int owner) {
    return new Action.Begin(
        id, uid, style.mode, style.overflowWaits, budget, priority, processes, mask, owner);
  }

  /** On all devices, in mode ondemand also on none, rarely on some. */
  private static Arbitrary<List<Long>> budgets() {
    Arbitrary<List<Long>> all = size(1, 8).list().ofSize(Histories.MAX_DEVICES);
    Arbitrary<List<Long>> some = size(0, 6).list().ofSize(Histories.MAX_DEVICES);
    return Arbitraries.frequencyOf(
        Tuple.of(8, all), Tuple.of(3, Arbitraries.just(List.of(0L, 0L, 0L))), Tuple.of(1, some));
  }

  private Arbitrary<Action> ask() {
    Arbitrary<RequestKind> kinds =
        Arbitraries.frequency(
            Tuple.of(8, RequestKind.MEMORY),
            Tuple.of(2, RequestKind.CONTEXT),
            Tuple.of(1, RequestKind.GATE));
    Arbitrary<Boolean> mayWait = Arbitraries.frequency(Tuple.of(8, true), Tuple.of(1, false));
    return Combinators.combine(slot(), device(), bytes(), kinds, mayWait).as(Action.Ask::new);
  }

  private static Arbitrary<Long> bytes() {
    return Arbitraries.frequencyOf(
        Tuple.of(30, number(1, 6).map(Action::bytes)),
        Tuple.of(10, number(1, MAX_UNITS).map(Action::bytes)),
        Tuple.of(
            2, Arbitraries.of(0L, 1L, 511L, 513L, 0xFFFF_FFFFL * 512, 0xFFFF_FFFFL * 512 + 1)));
  }

  /** Often none; rarely of a device that does not exist. */
  private Arbitrary<Action> unreserved() {
    Arbitrary<Long> bytes =
        Arbitraries.frequencyOf(
            Tuple.of(9, Arbitraries.just(0L)),
            Tuple.of(10, size(1, 6)),
            Tuple.of(1, size(7, 2 * MAX_UNITS)));
    Arbitrary<Integer> where =
        Arbitraries.frequencyOf(Tuple.of(30, device()), Tuple.of(1, Arbitraries.just(devices)));
    return Combinators.combine(job().optional(0.7), where, bytes).as(Action.SetUnreserved::new);
  }

  private Arbitrary<Action> giveBack() {
    Arbitrary<Optional<Integer>> part =
        Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(Optional.empty())),
            Tuple.of(1, number(1, 3).map(Optional::of)));
    return Combinators.combine(slot(), device(), part).as(Action.GiveBack::new);
  }
}
