package org.schedgpu.papers.paper002;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.papers.common.Row;

class Paper002Test {
  private final Policies policies = Policies.ofTheCore();

  @Test
  void noPairOfTableTwoIsReversed() {
    assertEquals(0, new TableTwo(policies.rbdm()).reversedPairs());
  }

  /** The comparison can fail: by age, the low priority of the first task comes too early. */
  @Test
  void fifoReversesPairsOfTableTwo() {
    assertTrue(new TableTwo(policies.fifo()).reversedPairs() > 0);
  }

  @Test
  void waitersAreWokenAsFiguresTwoAndFiveShow() {
    for (Row row : WakeOrders.part(policies).highlights()) {
      assertEquals("same", row.difference(), row.what());
    }
  }

  @Test
  void theTasksAreThoseOfTableTwo() {
    List<Task> tasks = Task.ofTableTwo();
    assertEquals(20, tasks.size());
    assertEquals(new Task(1, 1, 3421), tasks.get(0));
    assertEquals(new Task(16, 3, 2563), tasks.get(15));
    assertEquals(7, tasks.stream().filter(task -> task.priority() == Task.HIGH).count());
    assertEquals(3, tasks.stream().filter(task -> task.priority() == Task.MIDDLE).count());
  }

  @Test
  void aTaskTakesAsLongAsFigureThreeSays() {
    assertEquals(1530, Task.aloneS(867), 1e-9);
    assertEquals(8 * 1530, Task.aloneS(4 * 867), 1e-6);
  }

  @Test
  void aSeedGivesTheSameTasksAgain() {
    assertEquals(Task.random(1), Task.random(1));
    assertEquals(20, Task.random(2).size());
  }
}
