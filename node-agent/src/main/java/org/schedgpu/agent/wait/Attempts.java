package org.schedgpu.agent.wait;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.problem.AgentException;
import org.slf4j.Logger;

/**
 * Tries something for each of several jobs. A job for which it fails is left alone for a while, so
 * that it does not keep others from their turn; after some failures in a row Slurm is down, and
 * nothing more is tried until the next look.
 */
final class Attempts {
  private static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_FAILURES = 2;

  private final Logger log;
  private Map<String, Long> againNs = new HashMap<>();
  private Map<String, String> told = new HashMap<>();
  private int failures;

  /**
   * @param log receives a message about a job once
   */
  Attempts(Logger log) {
    this.log = log;
  }

  /** Begins a look. Forgets jobs for which nothing failed for long. */
  void begin(long nowNs) {
    failures = 0;
    Map<String, Long> still = new HashMap<>(againNs);
    still.values().removeIf(ns -> nowNs - ns > 2 * PAUSE_NS);
    againNs = still;
    told.keySet().retainAll(still.keySet());
  }

  /** Tries it for a job, unless it failed a short while ago. */
  void run(String job, long nowNs, Runnable work) {
    if (failures >= MAX_FAILURES || nowNs - againNs.getOrDefault(job, nowNs) < 0) {
      return;
    }
    try {
      work.run();
    } catch (AgentException problem) {
      failures++;
      againNs.put(job, nowNs + PAUSE_NS);
      if (!problem.getMessage().equals(told.put(job, problem.getMessage()))) {
        log.warn("wait job={}: {}: tried again each minute", job, problem.getMessage());
      }
    }
  }
}
