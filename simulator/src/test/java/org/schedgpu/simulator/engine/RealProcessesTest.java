package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.job.Job;

/**
 * Compares a node of the simulator with real processes on a region: for the same random requests
 * every transition grants the same requests, and the jobs get all their memory in the same order.
 * The grants of one transition come at one time. {@code SG_SEED=...} repeats a seed; the timeout
 * only ends tests that hang.
 */
@Timeout(600)
class RealProcessesTest {
  private static final int DEVICES = 2;
  private static final long TOTAL = 10L << 30;
  private static final long CONTEXT = 512L << 20;
  private static final int OVERTAKE_LIMIT = 2;
  private static final int STEPS = 90;
  private static final int MAX_JOBS = 14;

  static List<Long> seeds() {
    String seed = System.getenv("SG_SEED");
    return seed == null ? List.of(1L, 2L, 3L) : List.of(Long.parseLong(seed));
  }

  /** The simulator's node, which records what it does. */
  private static final class Simulated implements Grants, AutoCloseable {
    private final Memory memory;
    private final Map<Long, Part> parts = new HashMap<>();
    private final List<Long> granted = new ArrayList<>();
    private final List<Long> served = new ArrayList<>();

    Simulated(Policy policy) {
      memory =
          new Memory(
              Small.nodes(DEVICES).nodes(), Scenario.shares(8, policy), CONTEXT, OVERTAKE_LIMIT);
    }

    void enter(int job, int mask, long bytes, long nowNs) {
      Part part = new Part(0, mask);
      Job asked = new Job(job, 1, 0, 1, 1, 1, 1, 1, 1, List.of(), bytes, 1, 0);
      part.run = new Run(job, asked, List.of(part), nowNs);
      parts.put((long) job, part);
      clear();
      if (memory.enter(part, nowNs, this)) {
        served(part);
      }
    }

    void leave(long job, long nowNs) {
      clear();
      memory.leave(parts.remove(job), nowNs, this);
    }

    private void clear() {
      granted.clear();
      served.clear();
    }

    @Override
    public void granted(Part part) {
      granted.add((long) part.run.index);
    }

    @Override
    public void served(Part part) {
      served.add((long) part.run.index);
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void theNodeGrantsWhatRealProcessesAreGrantedInTheSameOrder(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Policy policy = random.nextBoolean() ? Policy.FIFO : Policy.MMU;
    List<Long> holders = new ArrayList<>();
    int waited = 0;
    try (Simulated simulated = new Simulated(policy);
        RealNode real = new RealNode(DEVICES, TOTAL, CONTEXT, policy, OVERTAKE_LIMIT)) {
      for (int step = 1; step <= STEPS; step++) {
        boolean enters = simulated.parts.size() < MAX_JOBS && random.nextInt(5) < 3;
        List<Long> served = List.of();
        Iterator<Long> grants = simulated.granted.iterator();
        if (enters) {
          int mask = 1 + random.nextInt((1 << DEVICES) - 1);
          long bytes = (1L + random.nextInt(9_000)) << 20;
          simulated.enter(step, mask, bytes, step);
          grants = simulated.granted.iterator();
          served = real.enter(step, mask, bytes, grants);
        } else if (!holders.isEmpty()) {
          long ends = holders.remove(random.nextInt(holders.size()));
          simulated.leave(ends, step);
          grants = simulated.granted.iterator();
          served = real.leave(ends, grants);
        } else {
          continue;
        }
        String which = "seed " + seed + " " + policy + " step " + step;
        assertFalse(grants.hasNext(), which);
        assertEquals(simulated.served, served, which);
        assertEquals("", real.check(), which);
        waited += simulated.granted.size();
        holders.addAll(served);
      }
    }
    assertTrue(waited > 10, "seed " + seed + ": only " + waited + " requests waited");
  }
}
