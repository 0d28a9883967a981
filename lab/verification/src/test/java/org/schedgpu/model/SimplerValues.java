package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.schedgpu.jna.Policy;

/** Simpler values of a step, the simplest first. Never the same value, so the search ends. */
final class SimplerValues {
  private SimplerValues() {}

  static Stream<NodeSpec> nodes(NodeSpec n) {
    Stream<NodeSpec> byNumbers =
        Stream.of(
            new NodeSpec(
                withoutLast(n.devices()), n.policy(), n.overtakeLimit(), n.graceNs(), n.rule()),
            new NodeSpec(n.devices(), Policy.FIFO, n.overtakeLimit(), n.graceNs(), n.rule()),
            new NodeSpec(n.devices(), n.policy(), 0, n.graceNs(), n.rule()),
            new NodeSpec(n.devices(), n.policy(), n.overtakeLimit(), 0, n.rule()),
            new NodeSpec(
                n.devices(), n.policy(), n.overtakeLimit(), n.graceNs(), DeadlockRule.DETECT));
    Stream<NodeSpec> byDevices =
        IntStream.range(0, n.devices().size())
            .boxed()
            .flatMap(i -> devices(n.devices().get(i)).map(d -> with(i, d, n.devices())))
            .map(d -> new NodeSpec(d, n.policy(), n.overtakeLimit(), n.graceNs(), n.rule()));
    return Stream.concat(byNumbers, byDevices).filter(simpler -> !simpler.equals(n));
  }

  private static <T> List<T> withoutLast(List<T> list) {
    return list.size() > 1 ? list.subList(0, list.size() - 1) : list;
  }

  private static <T> List<T> with(int i, T value, List<T> list) {
    List<T> copy = new ArrayList<>(list);
    copy.set(i, value);
    return copy;
  }

  private static Stream<DeviceSpec> devices(DeviceSpec d) {
    long unit = Units.UNIT_BYTES;
    long reserved = d.reservedBytes();
    return Stream.of(
            new DeviceSpec(d.totalBytes() - reserved, 0, d.contextBytes()),
            new DeviceSpec(d.totalBytes(), reserved, 0),
            new DeviceSpec(d.totalBytes(), reserved, less(Math.max(1, d.contextBytes()))),
            new DeviceSpec(Math.max(unit, less(d.totalBytes())), reserved, d.contextBytes()))
        .filter(simpler -> !simpler.equals(d) && simpler.totalBytes() > simpler.reservedBytes());
  }

  static Stream<Action> actions(Action action) {
    Stream<? extends Action> simpler = Stream.of();
    if (action instanceof Action.Begin begin) {
      simpler = begins(begin);
    } else if (action instanceof Action.Ask ask) {
      simpler = asks(ask);
    } else if (action instanceof Action.GiveBack give && give.units().isPresent()) {
      simpler =
          Stream.of(new Action.GiveBack(give.slot(), give.device(), give.units().map(n -> 1)));
    } else if (action instanceof Action.SetUnreserved set && set.bytes() > 0) {
      simpler = Stream.of(0L, less(set.bytes())).map(bytes -> unreserved(set, bytes));
    } else if (action instanceof Action.BeginLaneJob begin) {
      simpler = laneJobs(begin);
    } else if (action instanceof Action.Sleep sleep) {
      simpler = Stream.of(new Action.Sleep(1), new Action.Sleep(Math.max(1, sleep.ns() - 1)));
    } else if (action instanceof Action.Pass pass) {
      simpler = Stream.of(new Action.Pass(1), new Action.Pass(Math.max(1, pass.ns() - 1)));
    }
    return simpler.map(Action.class::cast).filter(s -> !s.equals(action));
  }

  private static Action.SetUnreserved unreserved(Action.SetUnreserved set, long bytes) {
    return new Action.SetUnreserved(set.job(), set.device(), bytes);
  }

  private static Stream<Action.Begin> begins(Action.Begin b) {
    return Stream.of(
            masks(b).map(m -> begin(b, b.budgetBytes(), b.priority(), b.processes(), m, b.owner())),
            Stream.of(
                begin(
                    b, List.of(0L, 0L, 0L), b.priority(), b.processes(), b.deviceMask(), b.owner()),
                begin(b, b.budgetBytes(), 10, b.processes(), b.deviceMask(), b.owner()),
                withoutOverflow(b),
                begin(b, b.budgetBytes(), b.priority(), 1, b.deviceMask(), b.owner()),
                begin(b, b.budgetBytes(), b.priority(), b.processes(), b.deviceMask(), -1)),
            budgets(b.budgetBytes())
                .map(l -> begin(b, l, b.priority(), b.processes(), b.deviceMask(), b.owner())))
        .flatMap(stream -> stream);
  }

  private static Stream<Action.BeginLaneJob> laneJobs(Action.BeginLaneJob b) {
    LaneSpec l = b.lane();
    Stream<LaneSpec> lanes =
        Stream.of(
            new LaneSpec(LanePolicy.PACK, l.persistentBytes(), l.share(), l.lengthNs()),
            new LaneSpec(l.policy(), 0, l.share(), l.lengthNs()),
            new LaneSpec(
                l.policy(), less(Math.max(1, l.persistentBytes())), l.share(), l.lengthNs()),
            new LaneSpec(l.policy(), l.persistentBytes(), 1, l.lengthNs()),
            new LaneSpec(l.policy(), l.persistentBytes(), l.share(), 0));
    return Stream.concat(
        lanes.map(
            s -> new Action.BeginLaneJob(b.id(), b.device(), b.budgetBytes(), s, b.priority())),
        Stream.of(
            new Action.BeginLaneJob(b.id(), b.device(), b.budgetBytes(), l, 10),
            new Action.BeginLaneJob(b.id(), 0, b.budgetBytes(), l, b.priority()),
            new Action.BeginLaneJob(
                b.id(), b.device(), Math.max(512, less(b.budgetBytes())), l, b.priority())));
  }

  private static Action.Begin begin(
      Action.Begin b, List<Long> budget, int priority, int processes, int mask, int owner) {
    return new Action.Begin(
        b.id(), b.uid(), b.mode(), b.overflowWaits(), budget, priority, processes, mask, owner);
  }

  private static Action.Begin withoutOverflow(Action.Begin b) {
    return new Action.Begin(
        b.id(),
        b.uid(),
        b.mode(),
        false,
        b.budgetBytes(),
        b.priority(),
        b.processes(),
        b.deviceMask(),
        b.owner());
  }

  /** Fewer devices. */
  private static Stream<Integer> masks(Action.Begin b) {
    return Stream.of(1, 2, 4)
        .filter(bit -> (b.deviceMask() & bit) != 0 && b.deviceMask() != bit)
        .map(bit -> b.deviceMask() & ~bit);
  }

  private static Stream<List<Long>> budgets(List<Long> budget) {
    return IntStream.range(0, budget.size())
        .boxed()
        .filter(i -> budget.get(i) > 0)
        .flatMap(i -> Stream.of(with(i, 0L, budget), with(i, less(budget.get(i)), budget)));
  }

  /** The next smaller number of whole units. */
  private static long less(long bytes) {
    return (bytes - 1) / Units.UNIT_BYTES * Units.UNIT_BYTES;
  }

  private static Stream<Action.Ask> asks(Action.Ask a) {
    return Stream.of(Units.UNIT_BYTES, less(a.bytes()))
        .filter(bytes -> bytes < a.bytes() && bytes > 0)
        .map(bytes -> new Action.Ask(a.slot(), a.device(), bytes, a.kind(), a.mayWait()));
  }
}
