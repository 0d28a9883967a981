package org.schedgpu.model;

/** A process waits for the turn of its job's lane, or was given it and does not know yet. */
final class TurnWait {
  final Client client;
  final Job job;

  /** The position in the order of asking. */
  final long ticket;

  boolean given;

  /** The number of turns given to younger waiters while this one was the oldest of its lane. */
  int overtaken;

  TurnWait(Client client, Job job, long ticket) {
    this.client = client;
    this.job = job;
    this.ticket = ticket;
  }

  boolean waitsIn(Lane lane) {
    return !given && job.lane.filter(other -> other == lane).isPresent();
  }
}
