package org.schedgpu.model;

import java.util.Optional;

/**
 * A space of device memory that its members use in turns (docs/reference/lanes.md). Its members are
 * the jobs that refer to it.
 */
final class Lane {
  final int index;
  final int device;
  final LanePolicy policy;

  /** The process that has the turn. */
  Optional<Client> holder = Optional.empty();

  /** True from the begin to the end of an iteration. */
  boolean busy;

  /** When the holder began its last iteration. */
  private long begunNs;

  /** The time of the iterations that the holder has ended since it got the turn. */
  private long endedIterationsNs;

  /** When the holder's last iteration ended; meaningless while the turn is busy. */
  long idleSinceNs;

  Lane(int index, int device, LanePolicy policy) {
    this.index = index;
    this.device = device;
    this.policy = policy;
  }

  boolean isHeldBy(Client client) {
    return holder.isPresent() && holder.get() == client;
  }

  boolean isHeldByProcessOf(Job job) {
    return holder.filter(client -> client.isOf(job)).isPresent();
  }

  /** True if the present iteration, or the time since the last one, is as long as that. */
  boolean isStuck(long nowNs) {
    return holder.isPresent() && nowNs - (busy ? begunNs : idleSinceNs) >= Turns.PATIENCE_NS;
  }

  /** The process has the turn from now on, and has begun an iteration. */
  void give(Client client, long nowNs) {
    passTo(Optional.of(client), nowNs);
    beginIteration(nowNs);
  }

  void beginIteration(long nowNs) {
    begunNs = busy ? begunNs : nowNs;
    busy = true;
  }

  void endIteration(long nowNs) {
    endedIterationsNs = hadNs(nowNs);
    busy = false;
    idleSinceNs = nowNs;
  }

  /** Nobody has the turn from now on. */
  void free(long nowNs) {
    passTo(Optional.empty(), nowNs);
  }

  /** How long the holder has been in iterations since it got the turn. */
  long hadNs(long nowNs) {
    return endedIterationsNs + (busy ? nowNs - begunNs : 0);
  }

  /** The iterations of a process count as service of its job. */
  private void passTo(Optional<Client> next, long nowNs) {
    holder.flatMap(client -> client.job).ifPresent(job -> job.serviceNs += hadNs(nowNs));
    holder = next;
    busy = false;
    endedIterationsNs = 0;
  }
}
