package org.schedgpu.agent.task;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the agent did since it started. Tasks count, whatever their thread. */
public final class AgentCounts {
  private final AtomicLong overruns = new AtomicLong();
  private final AtomicLong programsEnded = new AtomicLong();
  private final Map<Integer, Long> deviceProblems = new ConcurrentHashMap<>();
  private volatile boolean lockStuck;
  private volatile OptionalLong brokerConnections = OptionalLong.empty();

  /** A job was seen to use memory of a device that it did not reserve. */
  public void overrun() {
    overruns.incrementAndGet();
  }

  /** Counts a program that was asked to end because it used unreserved memory. */
  public void programEnded() {
    programsEnded.incrementAndGet();
  }

  /**
   * Something is wrong with a device, which the log names.
   *
   * @param device of the region; others are not counted
   */
  public void deviceProblem(int device) {
    deviceProblems.merge(device, 1L, Long::sum);
  }

  /** Whether the lock of the region could not be had within its time. */
  public void lockStuck(boolean stuck) {
    lockStuck = stuck;
  }

  /** Sets the number of clients of the broker; empty if the agent runs without a broker. */
  public void brokerConnections(OptionalLong connections) {
    brokerConnections = connections;
  }

  /** How many jobs were. */
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

  /** Whether somebody sits on it now. */
  public boolean lockStuck() {
    return lockStuck;
  }

  /** Returns the number of clients of the broker; empty if the agent runs without a broker. */
  public OptionalLong brokerConnections() {
    return brokerConnections;
  }
}
