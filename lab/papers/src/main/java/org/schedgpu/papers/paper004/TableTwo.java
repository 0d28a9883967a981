package org.schedgpu.papers.paper004;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Spread;
import org.schedgpu.papers.common.Table;

/** Table 2 and Figure 8: 100 jobs under four policies. */
final class TableTwo {
  private static final int SEEDS = 6;
  private static final Trace TRACE = new Trace(1.3, 50, 0.4);

  /** Memory that is never full: every job is admitted, as SRTF does in the paper. */
  private static final long ENDLESS_BYTES = Workload.DEVICE_BYTES << 6;

  private static final int FIFO = 0;
  private static final int SRTF = 1;
  private static final int PAPERS_WAYS = 4;
  private static final double PAPERS_GAIN = 3.19;

  /** A way to share the device; its paper's row and why ours differs, or none. */
  private record Way(String name, LaneSettings settings, Figures paper, List<String> why) {
    static Way ours(String name, LaneSettings settings) {
      return new Way(name, settings, null, List.of());
    }
  }

  private static final List<Way> WAYS =
      List.of(
          new Way(
              "FIFO",
              LaneSettings.exclusive(Workload.DEVICE_BYTES),
              new Figures(303.4, 167.6, 170.6, 251.1),
              List.of(
                  "Fitted: the mean length of a job is the paper's 3.0 min.",
                  "Fitted: long jobs tend to come first.",
                  "As the queuing.",
                  "Fitted: all jobs arrive within 50 min.")),
          new Way(
              "SRTF",
              of(LanePolicy.SRTF).withLanes(1),
              new Figures(306.0, 28.6, 53.4, 217.0),
              List.of(
                  "One lane: the device computes for one job at a time, as under FIFO.",
                  "This does not come out: jobs that have no room wait in the order of arrival,"
                      + " since the queue for memory knows no lengths; the paper admits a shorter"
                      + " job whatever runs.",
                  "As the queuing.",
                  "Not fitted.")),
          new Way(
              "PACK",
              of(LanePolicy.PACK),
              new Figures(287.4, 129.9, 145.5, 266.1),
              List.of(
                  "Not fitted: how much of its time a job computes is ours, and Salus' own overhead"
                      + " of up to 10 % is not played.",
                  "Not fitted: others wait in the order of arrival.",
                  "Not fitted: as the makespan.",
                  "Not fitted: as the makespan.")),
          new Way(
              "FAIR",
              of(LanePolicy.FAIR),
              new Figures(301.6, 58.5, 96.6, 281.2),
              List.of(
                  "Not fitted: lanes compute while others do not; the paper's value has no such"
                      + " gain.",
                  "Not fitted: jobs that have no room wait in the order of arrival.",
                  "Not fitted.",
                  "Not fitted: the longest jobs gain from several lanes.")),
          Way.ours("FAIR, one lane", of(LanePolicy.FAIR).withLanes(1)),
          Way.ours("SRTF, several lanes", of(LanePolicy.SRTF)),
          Way.ours(
              "SRTF, one lane, every job admitted",
              LaneSettings.of(ENDLESS_BYTES, LanePolicy.SRTF).withLanes(1)));

  /** Other spreads of the lengths: the fitted number that decides most. */
  private static final double[] SIGMAS = {1.0, 1.2, 1.5};

  private static final List<ToDoubleFunction<Figures>> COLUMNS =
      List.of(Figures::makespan, Figures::queuing, Figures::completion, Figures::late);
  private static final List<String> COLUMN_NAMES =
      List.of("makespan", "mean queuing", "mean completion", "95 % complete within");

  private final List<List<Figures>> bySeed = bySeed(TRACE, WAYS);

  /** For each seed those of each way. */
  private static List<List<Figures>> bySeed(Trace trace, List<Way> ways) {
    return LongStream.rangeClosed(1, SEEDS)
        .parallel()
        .mapToObj(seed -> ofSeed(trace, ways, seed))
        .toList();
  }

  private static List<Figures> ofSeed(Trace trace, List<Way> ways, long seed) {
    List<LaneJob> jobs = trace.jobs(seed);
    return ways.stream().map(way -> Figures.of(play(way, jobs))).toList();
  }

  /** The row of the first seed in the table of seeds, played alone. */
  static List<String> firstSeed() {
    return seedRow(1, ofSeed(TRACE, WAYS.subList(0, PAPERS_WAYS), 1));
  }

  private static List<String> seedRow(int seed, List<Figures> ways) {
    List<String> cells = new ArrayList<>(List.of(Integer.toString(seed)));
    for (Figures way : ways.subList(0, PAPERS_WAYS)) {
      cells.add(Numbers.plain(way.completion(), 1));
    }
    cells.add(Numbers.plain(gainOfSeed(ways), 2));
    return cells;
  }

  private static LaneSettings of(LanePolicy policy) {
    return LaneSettings.of(Workload.DEVICE_BYTES, policy);
  }

  private static LaneOutcome play(Way way, List<LaneJob> jobs) {
    return LaneSimulation.play(jobs, way.settings());
  }

  private Spread spread(int way, ToDoubleFunction<Figures> column) {
    return Spread.of(bySeed.stream().map(ways -> column.applyAsDouble(ways.get(way))).toList());
  }

  /** How many times shorter the mean completion is under SRTF than under FIFO. */
  Spread gain() {
    return gain(bySeed);
  }

  private static Spread gain(List<List<Figures>> seeds) {
    return Spread.of(seeds.stream().map(TableTwo::gainOfSeed).toList());
  }

  private static double gainOfSeed(List<Figures> ways) {
    return ways.get(FIFO).completion() / ways.get(SRTF).completion();
  }

  Part part() {
    List<Row> rows = rows();
    return new Part(
        "004",
        "Table 2 and Figure 8: 100 jobs",
        List.of(
            ("The trace is not public. %d random ones stand in (seeds 1 to %d): workloads of Table"
                    + " 3 at random, lengths with the paper's mean of 3.0 minutes and a standard"
                    + " deviation of their logarithm of %s, arrivals within %s minutes; long jobs"
                    + " tend to come first (correlation %s). These three numbers are ours, fitted"
                    + " to the row of FIFO and, if those that have no room wait by length, to the"
                    + " mean completion of SRTF. FIFO is a device that is not shared, as in the"
                    + " paper. SRTF has one lane, PACK and FAIR as many as fit, as in the authors'"
                    + " scripts. Requests for memory are served by the core's policy mmu. Switching"
                    + " takes no time here, and start-ups are left out.")
                .formatted(
                    SEEDS,
                    SEEDS,
                    TRACE.sigma(),
                    Math.round(TRACE.arriveMinutes()),
                    TRACE.longFirst())),
        List.of(
            Table.comparison("Minutes, mean and standard deviation of the seeds", rows),
            ours(),
            sigmas(),
            seeds()),
        List.of(
            new Picture(
                "004-figure-8.png", "Figure 8: when the jobs complete, seed 1", this::completions)),
        List.of(rows.get(0), rows.get(3), rows.get(7), rows.get(11), rows.get(15)));
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    Spread gain = gain();
    rows.add(
        new Row(
            "SRTF over FIFO, mean completion (times)",
            Numbers.plain(PAPERS_GAIN, 2),
            Numbers.spread(gain, 2),
            Numbers.percent(100 * (gain.mean() / PAPERS_GAIN - 1)),
            "From %s to %s. The lengths decide: the more they differ, the more is gained."
                .formatted(Numbers.plain(gain.least(), 2), Numbers.plain(gain.most(), 2))));
    for (int way = 0; way < WAYS.size(); way++) {
      for (int column = 0; column < COLUMNS.size() && WAYS.get(way).paper() != null; column++) {
        rows.add(row(way, column));
      }
    }
    return rows;
  }

  private Row row(int way, int column) {
    double paper = COLUMNS.get(column).applyAsDouble(WAYS.get(way).paper());
    Spread here = spread(way, COLUMNS.get(column));
    return new Row(
        WAYS.get(way).name() + ", " + COLUMN_NAMES.get(column) + " (min)",
        Numbers.plain(paper, 1),
        Numbers.spread(here, 1),
        Numbers.percent(100 * (here.mean() / paper - 1)),
        WAYS.get(way).why().get(column));
  }

  /** Ways that the paper does not have. */
  private Table ours() {
    List<List<String>> rows = new ArrayList<>();
    for (int way = 0; way < WAYS.size(); way++) {
      if (WAYS.get(way).paper() == null) {
        List<String> cells = new ArrayList<>(List.of(WAYS.get(way).name()));
        for (ToDoubleFunction<Figures> column : COLUMNS) {
          cells.add(Numbers.spread(spread(way, column), 1));
        }
        rows.add(cells);
      }
    }
    List<String> head = new ArrayList<>(List.of("Way"));
    COLUMN_NAMES.forEach(name -> head.add(name + " (min)"));
    return new Table("The same jobs, ways that the paper does not show", head, rows);
  }

  private static Table sigmas() {
    List<List<String>> rows = new ArrayList<>();
    for (double sigma : SIGMAS) {
      Trace trace = new Trace(sigma, TRACE.arriveMinutes(), TRACE.longFirst());
      Spread gain = gain(bySeed(trace, WAYS.subList(0, SRTF + 1)));
      rows.add(List.of(Double.toString(sigma), Numbers.spread(gain, 2)));
    }
    return new Table(
        "SRTF over FIFO, if the lengths differ by more or less",
        List.of("Deviation of the logarithm", "Mean completion (times)"),
        rows);
  }

  private Table seeds() {
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < bySeed.size(); i++) {
      rows.add(seedRow(i + 1, bySeed.get(i)));
    }
    return new Table(
        "Each seed, mean completion in minutes",
        List.of("Seed", "FIFO", "SRTF", "PACK", "FAIR", "FIFO / SRTF"),
        rows);
  }

  private BufferedImage completions() {
    List<LaneJob> jobs = TRACE.jobs(1);
    Lines lines =
        new Lines("Figure 8: completion times of 100 jobs", "minutes", "% of the jobs, simulated");
    for (Way way : WAYS.subList(0, PAPERS_WAYS)) {
      double[] minutes =
          play(way, jobs).jobs().stream()
              .mapToDouble(j -> j.completionNs() / 60e9)
              .sorted()
              .toArray();
      double[] percent = new double[minutes.length];
      for (int i = 0; i < percent.length; i++) {
        percent[i] = 100.0 * (i + 1) / percent.length;
      }
      lines.steps(way.name(), minutes, percent);
    }
    return lines.draw();
  }
}
