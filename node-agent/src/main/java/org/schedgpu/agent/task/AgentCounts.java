package org.schedgpu.agent.task;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what the agent has done since it started. Tasks of any thread use it. */
public final class AgentCounts {
  private final AtomicLong overruns = new AtomicLong();
  private final AtomicLong programsEnded = new AtomicLong();
  private final Map<Integer, Long> deviceProblems = new ConcurrentHashMap<>();
  private final Map<UsageOwner, Usage> usage = new ConcurrentHashMap<>();
  private volatile Map<Integer, Integer> unscheduled = Map.of();
  private volatile boolean lockStuck;
  private volatile OptionalLong brokerConnections = OptionalLong.empty();

  /** Beyond this number of users and accounts, the others are one. */
  static final int MAX_OWNERS = 1000;

  private static final UsageOwner OTHERS = new UsageOwner("others", "");

  /**
   * Whose jobs they are.
   *
   * @param account empty: none, or not known yet
   */
  public record UsageOwner(String user, String account) {}

  /**
   * What jobs had of the devices.
   *
   * @param reservedByteSeconds memory reserved for them, by the time for which it was
   * @param usedByteSeconds memory in use by them, by the time for which it was
   * @param turnSeconds how long they had turns of lanes
   */
  public record Usage(double reservedByteSeconds, double usedByteSeconds, double turnSeconds) {
    /** Memory. */
    public static Usage memory(double reservedByteSeconds, double usedByteSeconds) {
      return new Usage(reservedByteSeconds, usedByteSeconds, 0);
    }

    /** Turns. */
    public static Usage turns(double seconds) {
      return new Usage(0, 0, seconds);
    }

    private Usage plus(Usage more) {
      return new Usage(
          reservedByteSeconds + more.reservedByteSeconds,
          usedByteSeconds + more.usedByteSeconds,
          turnSeconds + more.turnSeconds);
    }
  }

  /** Adds to what jobs had. */
  public void use(UsageOwner owner, Usage more) {
    boolean room = usage.size() < MAX_OWNERS || usage.containsKey(owner);
    usage.merge(room ? owner : OTHERS, more, Usage::plus);
  }

  /** What jobs had since the agent started. */
  public Map<UsageOwner, Usage> usage() {
    return Map.copyOf(usage);
  }

  /** Counts a job's use of memory of a device that it did not reserve. */
  public void overrun() {
    overruns.incrementAndGet();
  }

  /** Counts a program that was asked to end because it used unreserved memory. */
  public void programEnded() {
    programsEnded.incrementAndGet();
  }

  /**
   * Counts a problem of a device; the log has the details.
   *
   * @param device of the region; others are not counted
   */
  public void deviceProblem(int device) {
    deviceProblems.merge(device, 1L, Long::sum);
  }

  /** Sets the number of processes that run unscheduled, by device. */
  public void unscheduled(Map<Integer, Integer> byDevice) {
    unscheduled = Map.copyOf(byDevice);
  }

  /** Sets whether the lock of the region could not be taken within its time. */
  public void lockStuck(boolean stuck) {
    lockStuck = stuck;
  }

  /** Sets the number of clients of the broker; empty if the agent runs without a broker. */
  public void brokerConnections(OptionalLong connections) {
    brokerConnections = connections;
  }

  /** The number of such jobs. */
  public long overruns() {
    return overruns.get();
  }

  /** How many were. */
  public long programsEnded() {
    return programsEnded.get();
  }

  /** Of a device. */
  public long deviceProblems(int device) {
    return deviceProblems.getOrDefault(device, 0L);
  }

  /** Processes of scheduled jobs that use the device and are not attached to the region. */
  public int unscheduled(int device) {
    return unscheduled.getOrDefault(device, 0);
  }

  /** True if a process holds the lock too long now. */
  public boolean lockStuck() {
    return lockStuck;
  }

  /** Returns the number of clients of the broker; empty if the agent runs without a broker. */
  public OptionalLong brokerConnections() {
    return brokerConnections;
  }
}
