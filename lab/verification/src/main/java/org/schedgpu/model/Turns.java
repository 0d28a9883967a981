package org.schedgpu.model;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** The turns of the lanes: who asks for them, ends an iteration, gets them and loses them. */
final class Turns {
  /** A turn that has been idle for so long is given to whoever waits. */
  static final long IDLE_NS = 5_000_000;

  /** After so long without a change a turn is stuck. */
  static final long PATIENCE_NS = 15_000_000_000L;

  private final Node node;
  private final long nowNs;

  Turns(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  private Optional<TurnWait> find(Client client) {
    return node.turnWaits.stream().filter(wait -> wait.client == client).findFirst();
  }

  /**
   * The process of a member asks for the turn. OK: it has the turn and it is busy. ETURN: it waits.
   */
  Answer ask(Client client, boolean mayWait) {
    Job job = client.job.orElseThrow();
    Lane lane = job.lane.orElseThrow();
    if (lane.isHeldBy(client)) {
      lane.beginIteration(nowNs);
      return Answer.OK;
    }
    if (find(client).isPresent()) {
      return Answer.ETURN; // for another thread of the process
    }
    catchUp(job, lane);
    TurnWait wait = new TurnWait(client, job, ++node.laneTicket);
    node.turnWaits.add(wait);
    serve();
    if (wait.given || !mayWait) {
      node.turnWaits.remove(wait);
      return wait.given ? Answer.OK : Answer.EWOULDBLOCK;
    }
    return Answer.ETURN;
  }

  /** A job that did not want the device gains no credit from that. */
  private void catchUp(Job job, Lane lane) {
    Set<Job> active = new HashSet<>();
    new TurnOrder(node, lane, nowNs).waiting().forEach(wait -> active.add(wait.job));
    lane.holder.flatMap(client -> client.job).ifPresent(active::add);
    if (lane.policy != LanePolicy.SHARE || active.contains(job)) {
      return;
    }
    LongStream all = service(new Lanes(node).members(lane));
    long level = active.isEmpty() ? all.max().orElse(0) : service(active).min().orElseThrow();
    if (level > job.servicePerShare(nowNs)) {
      job.serviceNs = level * job.laneSpec().share();
    }
  }

  private LongStream service(Collection<Job> jobs) {
    return jobs.stream().mapToLong(job -> job.servicePerShare(nowNs));
  }

  /** Ends a wait: OK if the turn was given. */
  Answer settle(Client client) {
    Optional<TurnWait> wait = find(client);
    wait.ifPresent(node.turnWaits::remove);
    return wait.map(w -> w.given ? Answer.OK : Answer.EWOULDBLOCK).orElse(Answer.ENOJOB);
  }

  /** The iteration of the process ends; nobody is served yet. False if it has no turn. */
  boolean end(Client client) {
    Optional<Lane> lane = heldBy(client);
    lane.filter(l -> l.busy).ifPresent(l -> l.endIteration(nowNs));
    return lane.isPresent();
  }

  /** True if the first waiter should have the turn of this process, which could not return it. */
  boolean isKept(Client client) {
    return heldBy(client)
        .filter(lane -> !lane.busy)
        .map(lane -> new TurnOrder(node, lane, nowNs))
        .filter(order -> order.first().filter(order::comesBeforeHolder).isPresent())
        .isPresent();
  }

  private Optional<Lane> heldBy(Client client) {
    return node.lanes.values().stream().filter(lane -> lane.isHeldBy(client)).findFirst();
  }

  /** The process is gone, or its job is: it waits for no turn and has none. */
  void drop(Client client) {
    dismiss(wait -> wait.client == client);
    heldBy(client).ifPresent(lane -> lane.free(nowNs));
  }

  private void dismiss(Predicate<TurnWait> which) {
    node.turnWaits.removeIf(which);
  }

  /** Serves the turns of all lanes. */
  void serve() {
    List.copyOf(node.lanes.values()).forEach(this::serve);
  }

  private void serve(Lane lane) {
    passOn(lane);
    for (Optional<TurnWait> first = leaver(lane); first.isPresent(); first = leaver(lane)) {
      Optional<Lane> to = new Lanes(node).move(first.get().job, nowNs);
      if (to.isEmpty()) {
        return;
      }
      passOn(to.get());
      passOn(lane);
    }
  }

  /** The first waiter gets the turn if it can have it. */
  private void passOn(Lane lane) {
    TurnOrder order = new TurnOrder(node, lane, nowNs);
    order.first().filter(wait -> canHave(wait, lane, order)).ifPresent(wait -> give(lane, wait));
  }

  /** The first waiter of a stuck turn. */
  private Optional<TurnWait> leaver(Lane lane) {
    return lane.isStuck(nowNs) ? new TurnOrder(node, lane, nowNs).first() : Optional.empty();
  }

  private boolean canHave(TurnWait wait, Lane lane, TurnOrder order) {
    if (lane.holder.isEmpty()) {
      return true;
    }
    boolean longIdle = !lane.busy && nowNs - lane.idleSinceNs >= IDLE_NS;
    boolean next = !lane.busy && (longIdle || order.comesBeforeHolder(wait));
    return next && giveBack(lane);
  }

  /**
   * The holder gives its turn back. What the job uses beyond its persistent memory becomes
   * persistent. False if that does not fit.
   */
  private boolean giveBack(Lane lane) {
    Job job = lane.holder.flatMap(client -> client.job).orElseThrow();
    Sums sums = Sums.of(node);
    long beyond = sums.inUse(job, lane.device) - job.keptBytes();
    if (beyond <= 0) {
      return true;
    }
    long free = sums.free(lane.device);
    long laneBytes = sums.laneBytes(lane);
    job.moreKeptBytes += beyond;
    boolean fits = beyond - (laneBytes - sums.laneBytes(lane)) <= free;
    job.moreKeptBytes -= fits ? 0 : beyond;
    return fits;
  }

  private void give(Lane lane, TurnWait wait) {
    List<TurnWait> waiting = new TurnOrder(node, lane, nowNs).waiting();
    if (waiting.get(0) != wait) {
      waiting.get(0).overtaken++;
    }
    wait.given = true;
    lane.give(wait.client, nowNs);
  }
}
