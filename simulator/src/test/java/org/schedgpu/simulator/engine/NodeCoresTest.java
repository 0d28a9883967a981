package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.LongBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.jna.CoreLibrary;
import org.schedgpu.jna.Policy;
import org.schedgpu.simulator.job.Job;

/**
 * Compares a node of the simulator, whose calls make several transitions, with single calls of the
 * core: the same jobs get their memory in the same order.
 */
class NodeCoresTest {
  private static final int DEVICES = 3;
  private static final long TOTAL = 10L << 30;
  private static final long CONTEXT = 256L << 20;
  private static final int OK = 0;
  private static final int MEMORY = 0;
  private static final int A_CONTEXT = 1;
  private static final int PEAK = 1;

  /** A job that asks step by step; */
  private static final class Asker {
    private final long id;
    private final int mask;
    private final long bytes;
    private int slot;
    private int step;
    private long ticket;

    Asker(long id, int mask, long bytes) {
      this.id = id;
      this.mask = mask;
      this.bytes = bytes;
    }
  }

  /** A node with one call for every transition. */
  private static final class SingleCalls implements AutoCloseable {
    private final CoreLibrary core;
    private final Map<Long, Asker> waiting = new HashMap<>();
    private final List<Long> granted = new ArrayList<>();

    SingleCalls(Policy policy) {
      long[] total = new long[DEVICES];
      long[] context = new long[DEVICES];
      Arrays.fill(total, TOTAL);
      Arrays.fill(context, CONTEXT);
      core = new CoreLibrary(total, new long[DEVICES], context, policy.number(), 2, 0, 1);
    }

    void enter(Asker job, long nowNs, List<Long> order) {
      long[] budget = new long[DEVICES];
      for (int d = 0; d < DEVICES; d++) {
        budget[d] = (job.mask >>> d & 1) == 0 ? 0 : job.bytes;
      }
      assertEquals(
          OK,
          core.jobBegin(job.id, 1, PEAK, false, budget, 0, 1, job.mask, CoreLibrary.NONE, nowNs));
      job.slot = core.attach(job.id);
      boolean atOnce = goOn(job, nowNs);
      serve(nowNs, order);
      if (atOnce) {
        order.add(job.id);
      }
    }

    void leave(Asker job, long nowNs, List<Long> order) {
      core.remove(job.slot, nowNs);
      noteGranted(job);
      assertEquals(OK, core.jobEnd(job.id, nowNs));
      noteGranted(job);
      serve(nowNs, order);
    }

    private void serve(long nowNs, List<Long> order) {
      ArrayDeque<Long> tickets = new ArrayDeque<>(granted);
      granted.clear();
      while (!tickets.isEmpty()) {
        Asker job = waiting.remove(tickets.remove());
        assertEquals(OK, core.settle(job.slot, job.ticket, nowNs));
        noteGranted(job);
        job.step++;
        if (goOn(job, nowNs)) {
          order.add(job.id);
        }
        tickets.addAll(granted);
        granted.clear();
      }
    }

    private boolean goOn(Asker job, long nowNs) {
      int devices = Integer.bitCount(job.mask);
      for (; job.step < 2 * devices; job.step++) {
        int rc = ask(job, devices, nowNs);
        job.ticket = core.ticket();
        noteGranted(job);
        if (job.ticket != 0 && rc != OK) {
          waiting.put(job.ticket, job);
          return false;
        }
        assertEquals(OK, rc);
      }
      return true;
    }

    private int ask(Asker job, int devices, long nowNs) {
      int device = -1;
      for (int place = job.step % devices; place >= 0; place--) {
        do {
          device++;
        } while ((job.mask >>> device & 1) == 0);
      }
      return core.ask(
          job.slot, device, job.bytes, job.step < devices ? A_CONTEXT : MEMORY, true, nowNs);
    }

    /** The grants of the last transition, without the job that asks. */
    private void noteGranted(Asker asking) {
      core.read();
      LongBuffer words = CoreLibrary.words();
      int waiters =
          6
              + 3 * DEVICES
              + (int) words.get(1) * (9 + 2 * DEVICES)
              + (int) words.get(2) * (2 + 2 * DEVICES);
      int woken = waiters + 2 * (int) words.get(3);
      for (int i = 0; i < words.get(4); i++) {
        long ticket = words.get(woken + i);
        if (waiting.containsKey(ticket) && waiting.get(ticket) != asking) {
          granted.add(ticket);
        }
      }
    }

    @Override
    public void close() {
      core.close();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void callsOfSeveralTransitionsGrantInTheOrderOfSingleOnes(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Policy policy = Policy.values()[random.nextInt(2)];
    List<Long> single = new ArrayList<>();
    List<Long> batch = new ArrayList<>();
    Map<Long, Asker> askers = new HashMap<>();
    Map<Long, Part> parts = new HashMap<>();
    Settings settings = Small.nodes(DEVICES);
    Scenario scenario = Scenario.shares(8, policy);
    try (SingleCalls calls = new SingleCalls(policy);
        Memory memory = new Memory(settings.nodes(), scenario, CONTEXT, 2)) {
      int done = 0;
      for (int i = 0; i < 400; i++) {
        long nowNs = 1000L + i;
        if (random.nextInt(5) < 3 && askers.size() < 60) {
          int mask = 1 + random.nextInt((1 << DEVICES) - 1);
          long bytes = (1L + random.nextInt(9_000)) << 20;
          Asker asker = new Asker(i, mask, bytes);
          askers.put((long) i, asker);
          calls.enter(asker, nowNs, single);
          Part part = new Part(0, mask);
          part.run = new Run(i, jobOf(i, bytes), List.of(part), nowNs);
          parts.put((long) i, part);
          if (memory.enter(part, nowNs, served -> batch.add((long) served.run.index))) {
            batch.add((long) i);
          }
        } else if (done < single.size()) {
          long ends = single.get(done++);
          calls.leave(askers.remove(ends), nowNs, single);
          memory.leave(parts.remove(ends), nowNs, served -> batch.add((long) served.run.index));
        }
        assertEquals(single, batch, "seed " + seed + " step " + i);
      }
      assertTrue(single.size() > 50, "seed " + seed + ": only " + single.size() + " were granted");
    }
  }

  private static Job jobOf(int id, long bytes) {
    return new Job(id, 1, 0, 1, 1, 1, 1, 1, 1, List.of(), bytes, 1, 0);
  }
}
