package org.schedgpu.papers.paper003;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.schedgpu.papers.common.Gantt;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Spread;
import org.schedgpu.papers.common.Table;
import org.schedgpu.papers.remote.NodeModel;
import org.schedgpu.papers.remote.Place;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;
import org.schedgpu.papers.remote.QueueRule;
import org.schedgpu.papers.remote.QueueSimulation;

/** Figures 7 and 8: a congested queue of a few nodes, and how much earlier all jobs are done. */
final class SmallQueue {
  private static final int NODES = 8;
  private static final int JOBS = 40;
  private static final int SETS = 20;
  private static final double NS = 1e9;
  private static final double GB = 1e9;
  private static final double MINUTE_S = 60;

  private final List<Double> fasterPercent = new ArrayList<>();

  SmallQueue() {
    for (int set = 1; set <= SETS; set++) {
      double g = play(set, QueueRule.G).lastEndNs();
      double r = play(set, QueueRule.R).lastEndNs();
      fasterPercent.add(100 * (1 - r / g));
    }
  }

  private static QueueOutcome play(long set, QueueRule rule) {
    return QueueSimulation.play(jobs(set), NODES, NodeModel.tsubame(), rule);
  }

  /** All at once: 1 to 3 nodes, 1 to 3 GPUs, 10 to 60 minutes. */
  private static List<QueueJob> jobs(long set) {
    SplittableRandom random = new SplittableRandom(set);
    List<QueueJob> jobs = new ArrayList<>();
    for (int id = 0; id < JOBS; id++) {
      int gpus = 1 + random.nextInt(3);
      double memoryBytes = (2 + random.nextInt(5)) * GB;
      long runNs = (long) ((10 + 50 * random.nextDouble()) * MINUTE_S * NS);
      jobs.add(
          new QueueJob(
              id,
              0,
              runNs,
              1 + random.nextInt(3),
              gpus,
              gpus,
              (long) memoryBytes,
              memoryBytes,
              memoryBytes,
              100 + random.nextInt(99_901)));
    }
    return jobs;
  }

  Part part() {
    Spread spread = Spread.of(fasterPercent);
    boolean inside = spread.mean() >= 15 && spread.mean() <= 30;
    List<Row> rows =
        List.of(
            new Row(
                "all jobs done earlier on the R queue (%)",
                "15 to 30",
                Numbers.spread(spread, 1),
                inside ? "inside" : "outside",
                "From "
                    + Numbers.plain(spread.least(), 1)
                    + " to "
                    + Numbers.plain(spread.most(), 1)
                    + " in "
                    + SETS
                    + " random sets: it depends on how many jobs ask for one or two GPUs."));
    return new Part(
        "003",
        "Figures 7 and 8: a congested queue",
        List.of(
            "The paper does not give its simulated jobs. "
                + JOBS
                + " random jobs stand in, all of them submitted at once to "
                + NODES
                + " nodes of Table 2: 1 to 3 nodes with 1 to 3 GPUs on each, 10 to 60 minutes. The"
                + " rules are those of Figures 5 and 6, word for word. Nodes are looked at in their"
                + " order; so are nodes that lend GPUs, which the paper leaves open."),
        List.of(Table.comparison("A congested queue, mean and standard deviation", rows)),
        List.of(
            new Picture(
                "003-figure-7.png", "The first set on the G queue", () -> chart(QueueRule.G)),
            new Picture(
                "003-figure-8.png", "The same set on the R queue", () -> chart(QueueRule.R))),
        rows);
  }

  private BufferedImage chart(QueueRule rule) {
    QueueOutcome outcome = play(1, rule);
    boolean g = rule == QueueRule.G;
    Gantt gantt =
        new Gantt(
            g ? "Figure 7: jobs on the G queue" : "Figure 8: jobs on the R queue",
            NODES,
            NodeModel.tsubame().gpus(),
            g
                ? List.of("on GPUs of the node")
                : List.of(
                    "on GPUs of the node",
                    "has remote GPUs, too (thin: no GPU of its node)",
                    "lent GPU"));
    List<QueueJob> jobs = jobs(1);
    for (int i = 0; i < jobs.size(); i++) {
      double fromS = outcome.startNs()[i] / NS;
      double toS = outcome.endNs()[i] / NS;
      for (Place place : outcome.places().get(i)) {
        gantt.block(
            place.server(),
            place.localGpus(),
            fromS / MINUTE_S,
            toS / MINUTE_S,
            place.isRemote() ? 1 : 0,
            Integer.toString(i + 1));
        for (int lender : place.remoteServers()) {
          gantt.block(lender, 1, fromS / MINUTE_S, toS / MINUTE_S, 2, Integer.toString(i + 1));
        }
      }
    }
    return gantt.draw();
  }
}
