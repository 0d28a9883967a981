package org.schedgpu.simulator.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.NodeCores;
import org.schedgpu.jna.Policy;

/** Table 2 of the RBDM paper: 20 tasks that come one after the other, and the order of service. */
class ReservationOrderTest {
  private static final long MB = 1_000_000;
  private static final long DEVICE_BYTES = 4_800 * MB;

  /** Priorities 3, 2 and 1 of the paper become 75, 50 and 25: RO is 2, 3 and 6 cycles. */
  private static final int PRIORITY = 25;

  private static final int NO_BOUND = 0;
  private static final int FULL = 0;

  /** Priority, memory in MB, and the place in the paper's column RBDM, which repeats some. */
  private static final int[][] TASKS = {
    {1, 3421, 3}, {3, 3137, 1}, {1, 630, 4}, {2, 1934, 3}, {3, 2262, 2},
    {1, 3170, 6}, {3, 412, 4}, {3, 1047, 5}, {1, 3621, 8}, {1, 2717, 9},
    {2, 2102, 7}, {2, 1998, 7}, {3, 986, 7}, {1, 191, 11}, {1, 2743, 12},
    {3, 2563, 10}, {1, 1143, 13}, {3, 527, 11}, {1, 2130, 14}, {1, 727, 15}
  };

  @Test
  void noPairOfTableTwoIsServedInTheReverseOrder() {
    List<Integer> order = orderOfService(Policy.RBDM);
    assertEquals(TASKS.length, order.size());
    assertEquals(List.of(), reversedPairs(order), order::toString);
  }

  /** Otherwise the test above would show nothing. */
  @Test
  void otherPoliciesReversePairsOfTableTwo() {
    for (Policy policy : List.of(Policy.FIFO, Policy.HPFW, Policy.SM_HPFW, Policy.RBDM_HPFW)) {
      assertFalse(reversedPairs(orderOfService(policy)).isEmpty(), policy::text);
    }
  }

  private static List<String> reversedPairs(List<Integer> order) {
    List<String> reversed = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      for (int j = i + 1; j < order.size(); j++) {
        if (TASKS[order.get(i) - 1][2] > TASKS[order.get(j) - 1][2]) {
          reversed.add("t" + order.get(i) + " before t" + order.get(j));
        }
      }
    }
    return reversed;
  }

  /** Numbers of the tasks from 1. They come while the device is full; each frees what it got. */
  private static List<Integer> orderOfService(Policy policy) {
    try (NodeCores cores = new NodeCores(1, policy, NO_BOUND)) {
      cores.make(0, new long[] {DEVICE_BYTES}, new long[] {0});
      Map<Integer, Integer> taskOfSlot = new HashMap<>();
      ArrayDeque<Integer> running = new ArrayDeque<>();
      NodeCores.Wait[] waits = new NodeCores.Wait[TASKS.length + 1];
      Arrays.setAll(waits, i -> new NodeCores.Wait());
      running.add(cores.enter(0, FULL, PRIORITY, 1, DEVICE_BYTES, 1, waits[FULL]));
      taskOfSlot.put(running.getFirst(), FULL);
      for (int task = 1; task <= TASKS.length; task++) {
        int[] of = TASKS[task - 1];
        int slot = cores.enter(0, task, of[0] * PRIORITY, 1, of[1] * MB, 1, waits[task]);
        assertTrue(waits[task].waits());
        taskOfSlot.put(slot, task);
      }
      List<Integer> order = new ArrayList<>();
      while (!running.isEmpty()) {
        int slot = running.remove();
        assertEquals(0, cores.leave(0, slot, taskOfSlot.get(slot), 1));
        for (int granted : cores.granted(0)) {
          order.add(taskOfSlot.get(granted));
          assertEquals(0, cores.resume(0, granted, 1, waits[taskOfSlot.get(granted)]));
          running.add(granted);
        }
      }
      return order;
    }
  }
}
