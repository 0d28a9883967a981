package org.schedgpu.model;

import static org.schedgpu.model.Histories.number;
import static org.schedgpu.model.Histories.size;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random histories with lane jobs among the others. */
final class LaneHistories {
  private static final int MAX_STEPS = 200;

  /** More jobs of the other kinds begin in the course of a history. */
  private static final int LANE_JOBS = 6;

  private final int devices;
  private final Steps others;

  /** Of most jobs, so that many share a lane. */
  private final LanePolicy usual;

  /** Few actions but those of lanes: so that turns get stuck beside free memory. */
  private final boolean calm;

  private LaneHistories(int devices, LanePolicy usual, boolean calm) {
    this.devices = devices;
    this.calm = calm;
    this.usual = usual;
    others = new Steps(devices);
  }

  static Arbitrary<History> all() {
    return Arbitraries.oneOf(
        Stream.of(LanePolicy.values())
            .flatMap(
                policy ->
                    Stream.of(
                            new LaneHistories(1, policy, false),
                            new LaneHistories(1, policy, true),
                            new LaneHistories(2, policy, false))
                        .map(LaneHistories::histories))
            .toList());
  }

  private Arbitrary<History> histories() {
    Arbitrary<List<Action>> rest =
        Arbitraries.frequencyOf(
                Tuple.of(calm ? 15 : 100, action().map(List::of)), Tuple.of(1, stuckTurn()))
            .list()
            .ofMaxSize(MAX_STEPS)
            .withSizeDistribution(RandomDistribution.uniform())
            .map(Steps::concat);
    Arbitrary<List<Action>> steps =
        Combinators.combine(openings(), others.arrivals(), shares(), rest)
            .as(
                (jobs, processes, shares, later) ->
                    Steps.concat(List.of(jobs, processes, shares, later)));
    return Combinators.combine(Histories.node(devices), steps).as(History::new);
  }

  private Arbitrary<List<Action>> openings() {
    List<Arbitrary<Action>> each =
        LongStream.rangeClosed(1, Steps.JOBS)
            .mapToObj(
                id ->
                    calm || id <= LANE_JOBS
                        ? begin(Arbitraries.just(id))
                        : others.begin(Arbitraries.just(id)))
            .toList();
    return Combinators.combine(each).as(list -> list);
  }

  /** In one history of three the jobs share their lanes, as they do only before they hold. */
  private static Arbitrary<List<Action>> shares() {
    List<Action> all =
        IntStream.range(0, ModelAndCore.SLOTS)
            .mapToObj(slot -> (Action) new Action.ShareLane(slot))
            .toList();
    return Arbitraries.frequency(Tuple.of(2, List.of()), Tuple.of(1, all));
  }

  private Arbitrary<Action> action() {
    return Arbitraries.frequencyOf(
        Tuple.of(calm ? 15 : 100, others.action()),
        Tuple.of(calm ? 10 : 3, begin(Steps.job())),
        Tuple.of(calm ? 10 : 1, Steps.job().map(Action.End::new)),
        Tuple.of(
            calm ? 15 : 1, Combinators.combine(Steps.slot(), Steps.job()).as(Action.Attach::new)),
        Tuple.of(40, beginIteration()),
        Tuple.of(40, Steps.slot().map(Action.EndIteration::new)),
        Tuple.of(20, Steps.slot().map(Action.Take::new)),
        Tuple.of(12, Steps.slot().map(Action.ShareLane::new)),
        Tuple.of(12, Combinators.combine(Steps.slot(), size(0, 8)).as(Action.MapLane::new)),
        Tuple.of(5, Arbitraries.create(Action.Look::new)),
        Tuple.of(2, Arbitraries.create(Action.LetTurnsGoOn::new)),
        Tuple.of(8, time().map(Action.Sleep::new)),
        Tuple.of(3, time().map(Action.Pass::new)));
  }

  /** Iterations begin, jobs end, and then nothing happens for longer than a waiter has patience. */
  private Arbitrary<List<Action>> stuckTurn() {
    Arbitrary<List<Action>> iterations = beginIteration().list().ofMinSize(2).ofMaxSize(6);
    Arbitrary<List<Action>> ends =
        Steps.job().map(id -> (Action) new Action.End(id)).list().ofMaxSize(3);
    List<Action> wait = List.of(new Action.Sleep(Turns.PATIENCE_NS), new Action.Look());
    return Combinators.combine(iterations, ends)
        .as((begun, ended) -> Steps.concat(List.of(begun, ended, wait)));
  }

  private Arbitrary<Action> beginIteration() {
    Arbitrary<Boolean> mayWait = Arbitraries.frequency(Tuple.of(8, true), Tuple.of(1, false));
    return Combinators.combine(Steps.slot(), others.device(), mayWait)
        .as((slot, device, waits) -> new Action.Ask(slot, device, 0, RequestKind.GATE, waits));
  }

  /**
   * About the quantum, or the part of it that a turn with a device lasts, or the time after which
   * an idle turn passes on.
   */
  private static Arbitrary<Long> time() {
    return Arbitraries.frequencyOf(
        Tuple.of(5, number(1, 8).map(Integer::longValue)),
        Tuple.of(3, number(27, 33).map(Integer::longValue)),
        Tuple.of(2, Arbitraries.of(Turns.IDLE_NS - 1, Turns.IDLE_NS)),
        Tuple.of(6, Arbitraries.of(Turns.PATIENCE_NS - 1, Turns.PATIENCE_NS)));
  }

  private Arbitrary<Action> begin(Arbitrary<Long> job) {
    return Combinators.combine(
            job,
            others.device(),
            size(2, 10),
            lane(),
            Arbitraries.frequency(Tuple.of(30, 10), Tuple.of(10, 50), Tuple.of(1, 101)))
        .as(Action.BeginLaneJob::new);
  }

  private Arbitrary<LaneSpec> lane() {
    return Combinators.combine(
            Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.just(usual)),
                Tuple.of(1, Arbitraries.of(LanePolicy.class))),
            size(0, 3),
            Arbitraries.frequency(
                Tuple.of(10, 1), Tuple.of(5, 2), Tuple.of(5, 3), Tuple.of(1, 1000)),
            Arbitraries.of(0L, 1L, 5L, 10L, 20L, 6_000_000L))
        .as(LaneSpec::new);
  }
}
