package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.schedgpu.jna.Policy;

/** The whole state: devices, jobs, processes, requests. */
final class Node {
  final List<Device> devices;
  final int overtakeLimit;
  final long graceNs;
  final DeadlockRule rule;
  Policy policy;

  /** In the order in which they began. */
  final List<Job> jobs = new ArrayList<>();

  final List<Client> clients = new ArrayList<>();

  /** In the order of their tickets, including granted requests that were not taken yet. */
  final List<Waiter> waiters = new ArrayList<>();

  /** In the order in which they ended. */
  final List<EndedJob> ended = new ArrayList<>();

  /** By index. */
  final SortedMap<Integer, Lane> lanes = new TreeMap<>();

  /** In the order of their tickets, including given turns whose processes do not know yet. */
  final List<TurnWait> turnWaits = new ArrayList<>();

  /** For so much time of iterations a process keeps the turn of a fair lane. */
  long quantumNs = 1_000_000_000;

  /** Memory in use by programs of no job, per device. */
  final long[] foreign;

  /** The ticket that was given last to a request that was not refused. */
  long ticket;

  /** The ticket that was given last to a request for a turn, or to a member of a lane. */
  long laneTicket;

  Node(NodeSpec spec) {
    devices =
        IntStream.range(0, spec.devices().size())
            .mapToObj(i -> device(i, spec.devices().get(i)))
            .toList();
    foreign = new long[devices.size()];
    policy = spec.policy();
    overtakeLimit = spec.overtakeLimit();
    graceNs = spec.graceNs();
    rule = spec.rule();
  }

  private static Device device(int index, DeviceSpec spec) {
    long total = Units.roundDown(spec.totalBytes());
    long usable = total - Units.roundUp(spec.reservedBytes());
    return new Device(index, total, usable, Units.roundUp(spec.contextBytes()));
  }

  boolean hasProcesses(Job job) {
    return clients.stream().anyMatch(client -> client.isOf(job));
  }

  /** True if a request of this process is in a queue. */
  boolean waits(Client client) {
    return waiters.stream().anyMatch(waiter -> waiter.client == client && waiter.waits());
  }

  /** The waiters of a queue, the oldest first. */
  List<Waiter> in(Queue queue) {
    return waiters.stream().filter(waiter -> waiter.standsIn(queue)).toList();
  }

  boolean nobodyWaitsIn(Queue queue) {
    return waiters.stream().noneMatch(waiter -> waiter.standsIn(queue));
  }

  /** The devices whose queues contain the request. */
  List<Integer> devicesOf(Waiter waiter) {
    return devices.stream().map(Device::index).filter(waiter::standsOn).toList();
  }

  List<Integer> devicesOf(Job job) {
    return devices.stream().map(Device::index).filter(job::has).toList();
  }

  List<Integer> allDevices() {
    return devices.stream().map(Device::index).toList();
  }

  /**
   * True if a request waits for memory of the device. A job that is not admitted must fit on each
   * of its devices, in whatever queues its requests are.
   */
  boolean isNeeded(int device) {
    return waiters.stream()
        .filter(Waiter::waits)
        .anyMatch(w -> w.standsOn(device) || (!w.job.admitted && w.job.has(device)));
  }
}
