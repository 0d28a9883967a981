package org.schedgpu.papers.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.papers.remote.Queues.job;
import static org.schedgpu.papers.remote.Queues.play;
import static org.schedgpu.papers.remote.Queues.seconds;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Figure 6 of the paper, line by line. */
class RQueueTest {
  @Test
  void nodesWithoutAJobComeFirst() {
    QueueOutcome outcome = play(QueueRule.R, 2, job(1, 0, 100, 1, 1), job(2, 0, 100, 1, 2));
    assertEquals(List.of(new Place(1, 2, List.of(), false)), outcome.places().get(1));
  }

  @Test
  void aNodeWithAJobIsSharedIfItsOwnGpusAreEnough() {
    QueueOutcome outcome = play(QueueRule.R, 1, job(1, 0, 100, 1, 1), job(2, 0, 100, 1, 2));
    assertEquals(List.of(new Place(0, 2, List.of(), true)), outcome.places().get(1));
    assertEquals(List.of(0L, 0L), seconds(outcome.startNs()));
    assertEquals(0, outcome.remoteJobs());
  }

  /** The example of section 1.2: three jobs with two GPUs on two nodes of three. */
  @Test
  void gpusOfOtherNodesMakeUpWhatANodeLacks() {
    QueueJob[] jobs = {job(1, 0, 100, 1, 2), job(2, 0, 100, 1, 2), job(3, 0, 100, 1, 2)};
    QueueOutcome r = play(QueueRule.R, 2, jobs);
    assertEquals(List.of(new Place(0, 1, List.of(1), true)), r.places().get(2));
    assertEquals(List.of(0L, 0L, 0L), seconds(r.startNs()));
    assertEquals(1, r.remoteJobs());
    assertEquals(List.of(0L, 0L, 100L), seconds(play(QueueRule.G, 2, jobs).startNs()));
  }

  @Test
  void theNodeItselfNeedsEnoughCpus() {
    QueueOutcome outcome =
        play(QueueRule.R, 1, job(1, 0, 100, 1, 1, 6, 1), job(2, 0, 100, 1, 1, 3, 1));
    assertEquals(List.of(0L, 100L), seconds(outcome.startNs()));
  }

  @Test
  void theNodeItselfNeedsEnoughMemory() {
    QueueOutcome outcome =
        play(QueueRule.R, 1, job(1, 0, 100, 1, 1, 1, 12), job(2, 0, 100, 1, 1, 1, 12));
    assertEquals(List.of(0L, 100L), seconds(outcome.startNs()));
  }

  @Test
  void aJobWithTooFewNodesGivesBackAllThatItWasGiven() {
    QueueOutcome outcome =
        play(QueueRule.R, 2, job(1, 0, 100, 1, 1, 8, 1), job(2, 1, 100, 2, 1), job(3, 2, 50, 1, 3));
    assertEquals(List.of(0L, 100L, 2L), seconds(outcome.startNs()));
    assertEquals(List.of(new Place(1, 3, List.of(), false)), outcome.places().get(2));
  }

  @Test
  void lentGpusAreGivenBackToo() {
    QueueOutcome outcome =
        play(
            QueueRule.R,
            2,
            job(1, 0, 100, 1, 2),
            job(2, 0, 100, 1, 2),
            job(3, 0, 100, 1, 2),
            job(4, 1, 10, 2, 3));
    assertEquals(100L, seconds(outcome.startNs()).get(3));
    assertEquals(
        List.of(new Place(0, 3, List.of(), false), new Place(1, 3, List.of(), false)),
        outcome.places().get(3));
  }
}
