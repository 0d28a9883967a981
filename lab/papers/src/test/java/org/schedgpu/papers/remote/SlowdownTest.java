package org.schedgpu.papers.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.papers.remote.Queues.exchanging;
import static org.schedgpu.papers.remote.Queues.job;
import static org.schedgpu.papers.remote.Queues.play;

import org.junit.jupiter.api.Test;

/** Equations 1 and 2, and what they do to jobs. */
class SlowdownTest {
  private static final double S = 1e9;

  @Test
  void aTransferTakesItsLatencyAndItsShareOfTheBandwidth() {
    NodeModel testBed = NodeModel.testBed();
    assertEquals(3.47e-3 + 1e9 * 1.09 / 6.38e9, testBed.remoteS(1e9, 1, 1), 1e-9);
    assertEquals(2 * 3.47e-3 + 7 * 1e9 * 1.09 / 6.38e9, testBed.remoteS(1e9, 2, 7), 1e-9);
  }

  private static double runS(QueueOutcome outcome, int job) {
    return (outcome.endNs()[job] - outcome.startNs()[job]) / S;
  }

  @Test
  void aJobOnItsOwnGpusRunsAsLongAsInTheLog() {
    QueueOutcome outcome = play(QueueRule.R, 1, exchanging(job(1, 0, 100, 1, 2), 9.2, 9.2, 1000));
    assertEquals(100, runS(outcome, 0), 1e-6);
  }

  @Test
  void aRemoteGpuCostsTransfersAndBandwidthLessWhatTheNodeNeeds() {
    QueueOutcome outcome =
        play(
            QueueRule.R,
            2,
            job(1, 0, 1000, 1, 2),
            job(2, 0, 1000, 1, 2),
            exchanging(job(3, 0, 100, 1, 2), 0, 9.2, 1000));
    assertEquals(100 + 3.47 + 1 - 9.2 / 171, runS(outcome, 2), 1e-6);
  }

  @Test
  void twoStreamsOnALinkHalveTheBandwidth() {
    QueueOutcome outcome =
        play(
            QueueRule.R,
            2,
            job(1, 0, 1000, 1, 3, 1, 1),
            job(2, 0, 1000, 1, 1),
            exchanging(job(3, 0, 100, 1, 2, 1, 1), 0, 9.2, 0));
    // Job 3 has no GPU of node 0 and two of node 1: two streams on the links of both.
    assertEquals(100 + 2 - 9.2 / 171, runS(outcome, 2), 1e-6);
  }

  @Test
  void streamsToOneLenderShareItsLink() {
    QueueOutcome outcome =
        play(
            QueueRule.R,
            3,
            job(1, 0, 1000, 1, 3, 7, 1),
            job(2, 0, 1000, 1, 3, 7, 1),
            job(3, 0, 1000, 1, 1, 1, 1),
            exchanging(job(4, 0, 100, 1, 1, 1, 1), 0, 9.2, 0),
            exchanging(job(5, 0, 100, 1, 1, 1, 1), 0, 9.2, 0));
    // Jobs 4 and 5 compute on nodes 0 and 1, each with a GPU of node 2.
    assertEquals(100 + 2 - 9.2 / 171, runS(outcome, 4), 0.1);
  }

  @Test
  void messagesBetweenNodesShareTheLinkWithRemoteGpus() {
    QueueOutcome outcome =
        play(QueueRule.R, 2, exchanging(job(1, 0, 100, 2, 2), 10, 0, 0), job(2, 0, 1000, 1, 2));
    // Job 2 has a GPU on each node: one stream beside the messages of job 1, 10 GB at 10 GB/s.
    assertEquals(101, runS(outcome, 0), 1e-6);
  }

  @Test
  void aJobGoesOnFasterWhenAStreamOfItsLinkIsGone() {
    QueueOutcome outcome =
        play(QueueRule.R, 2, exchanging(job(1, 0, 100, 2, 2), 100, 0, 0), job(2, 0, 55, 1, 2));
    // 110 s in all while the stream is there: half is done after 55 s, the rest takes 50 s.
    assertEquals(105, runS(outcome, 0), 1e-6);
  }
}
