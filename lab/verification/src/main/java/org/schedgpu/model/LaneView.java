package org.schedgpu.model;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** What can be seen of lanes and turns. */
public final class LaneView {
  private final Node node;

  LaneView(Node node) {
    this.node = node;
  }

  Collection<Lane> lanes() {
    return Collections.unmodifiableCollection(node.lanes.values());
  }

  List<Job> members(Lane lane) {
    return new Lanes(node).members(lane);
  }

  long bytes(Lane lane) {
    return Sums.of(node).laneBytes(lane);
  }

  /** The jobs that are in a lane. */
  List<Job> members() {
    return node.jobs.stream().filter(job -> job.lane.isPresent()).toList();
  }

  /** The waits for turns, given ones included, the oldest first. */
  List<TurnWait> waits() {
    return Collections.unmodifiableList(node.turnWaits);
  }

  Optional<TurnWait> waitOf(Client client) {
    return node.turnWaits.stream().filter(wait -> wait.client == client).findFirst();
  }

  /** True if the process waits for a turn. */
  public boolean waitsForTurn(Client client) {
    return waitOf(client).filter(wait -> !wait.given).isPresent();
  }

  /** True if the process was given a turn and does not know yet. */
  public boolean turnGiven(Client client) {
    return waitOf(client).filter(wait -> wait.given).isPresent();
  }

  /** True if the process has the turn of its job's lane. */
  boolean hasTurn(Client client) {
    return node.lanes.values().stream().anyMatch(lane -> lane.isHeldBy(client));
  }
}
