package org.schedgpu.papers.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.papers.remote.Queues.job;
import static org.schedgpu.papers.remote.Queues.play;
import static org.schedgpu.papers.remote.Queues.seconds;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Figure 5 of the paper, line by line. */
class GQueueTest {
  @Test
  void aNodeWithAJobIsNotSuitable() {
    QueueOutcome outcome = play(QueueRule.G, 1, job(1, 0, 100, 1, 1), job(2, 0, 100, 1, 1));
    assertEquals(List.of(0L, 100L), seconds(outcome.startNs()));
  }

  @Test
  void theFirstSuitableNodesAreTaken() {
    QueueOutcome outcome = play(QueueRule.G, 3, job(1, 0, 100, 1, 3), job(2, 0, 100, 2, 1));
    assertEquals(List.of(0), servers(outcome, 0));
    assertEquals(List.of(1, 2), servers(outcome, 1));
  }

  private static List<Integer> servers(QueueOutcome outcome, int job) {
    return outcome.places().get(job).stream().map(Place::server).toList();
  }

  @Test
  void aJobWithTooFewNodesTakesNoneAndDoesNotBlockTheQueue() {
    QueueOutcome outcome =
        play(QueueRule.G, 2, job(1, 0, 100, 1, 1), job(2, 1, 100, 2, 1), job(3, 2, 50, 1, 1));
    assertEquals(List.of(0L, 100L, 2L), seconds(outcome.startNs()));
  }

  @Test
  void theQueueIsTriedInOrderWhenAJobEnds() {
    QueueOutcome outcome =
        play(QueueRule.G, 1, job(1, 0, 100, 1, 3), job(2, 1, 100, 1, 3), job(3, 2, 100, 1, 1));
    assertEquals(List.of(0L, 100L, 200L), seconds(outcome.startNs()));
  }

  @Test
  void whenAJobEndsOneThatDoesNotFitDoesNotKeepTheNextFromStarting() {
    QueueOutcome outcome =
        play(
            QueueRule.G,
            2,
            job(1, 0, 100, 1, 1),
            job(2, 0, 50, 1, 1),
            job(3, 1, 100, 2, 1),
            job(4, 2, 10, 1, 1));
    assertEquals(List.of(0L, 0L, 100L, 50L), seconds(outcome.startNs()));
  }

  @Test
  void whatNoNodeHasIsRefused() {
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> play(QueueRule.G, 1, job(7, 0, 1, 2, 1)));
    assertTrue(refused.getMessage().contains("job 7"), refused.getMessage());
  }
}
