package org.schedgpu.papers.paper003;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.schedgpu.papers.common.Bars;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Spread;
import org.schedgpu.papers.common.Table;

/** Figures 9 to 11 and Table 3 of the paper, over several seeds. */
final class YearPart {
  /** Where the bins of Figures 9 and 11 end; seconds. */
  private static final double[] LONG_BINS = {600, 3600, 36_000, Double.MAX_VALUE};

  private static final List<String> LONG_NAMES =
      List.of("less than 10 min", "10 min to 1 h", "1 to 10 h", "more");

  /** Of Figure 10. */
  private static final double[] SHORT_BINS = {60, 120, 180, 240, 300, 360, Double.MAX_VALUE};

  private static final List<String> SHORT_NAMES =
      List.of(
          "less than 60 s",
          "60 to 120",
          "120 to 180",
          "180 to 240",
          "240 to 300",
          "300 to 360",
          "more");

  private final JobGenerator generator;
  private final List<YearOfJobs> years;

  YearPart(JobGenerator generator, List<YearOfJobs> years) {
    this.generator = generator;
    this.years = List.copyOf(years);
  }

  private Spread spread(Function<YearOfJobs, Double> value) {
    return Spread.of(years.stream().map(value).toList());
  }

  private Row row(
      String what, double paper, Function<YearOfJobs, Double> value, int digits, String why) {
    Spread here = spread(value);
    return new Row(
        what,
        Numbers.plain(paper, digits),
        Numbers.spread(here, digits),
        Numbers.signed(here.mean() - paper, digits),
        why);
  }

  Part figures() {
    List<Row> rows =
        List.of(
            row(
                "mean wait on the G queue (s)",
                963.60 / 0.2524,
                year -> year.same().firstWaitS(),
                0,
                "Fitted: the number of jobs a day was chosen for this."),
            row(
                "mean wait, decrease (%)",
                25.24,
                year -> year.same().waitPercent(),
                2,
                "Fitted roughly: 75 % of the jobs ask for all three GPUs; which share did in the"
                    + " log is not known."),
            row(
                "jobs that wait longer (%)",
                0.81,
                year -> Differences.worsePercent(year.same().waitS()),
                2,
                "Not fitted: a job that starts earlier on the R queue can take the nodes of one"
                    + " behind it."),
            row(
                "those wait longer by (min)",
                3.51,
                year -> Differences.worseS(year.same().waitS()) / 60,
                2,
                "This does not come out: jobs on many nodes wait for whole bursts of others, and"
                    + " neither queue keeps nodes for them."),
            row(
                "mean run, increase (%)",
                0.03,
                year -> -year.same().runPercent(),
                3,
                "Not fitted: a remote GPU costs 3.47 ms for each transfer, and few jobs have one."),
            row(
                "the most that a job runs longer (min)",
                7,
                year -> -Differences.leastOf(year.same().runS()) / 60,
                2,
                "Not fitted: 100,000 transfers of 3.47 ms, and shared links."),
            row(
                "mean life, decrease (%)",
                5.06, year -> year.same().lifePercent(), 2, "Not fitted: waits less runs."),
            row(
                "jobs that end later (%)",
                2.8,
                year -> Differences.worsePercent(year.same().lifeS()),
                2,
                "Not fitted: those that wait longer, and those that gain less than their remote"
                    + " GPUs cost."),
            row(
                "those end later by (min)",
                6.81,
                year -> Differences.worseS(year.same().lifeS()) / 60,
                2,
                "As the waits."));
    return new Part(
        "003",
        "Figures 9 to 11: a year of jobs on 480 nodes",
        List.of(text()),
        List.of(
            Table.comparison(
                "G queue and R queue of 480 nodes, mean and standard deviation of the seeds", rows),
            bySeed()),
        List.of(
            histogram("003-figure-9.png", "Figure 9: wait", Differences::waitS, LONG_BINS),
            histogram("003-figure-10.png", "Figure 10: run", Differences::runS, SHORT_BINS),
            histogram("003-figure-11.png", "Figure 11: life", Differences::lifeS, LONG_BINS)),
        List.of(rows.get(1), rows.get(2), rows.get(4), rows.get(6), rows.get(7)));
  }

  private String text() {
    return String.format(
        Locale.ROOT,
        "The log of TSUBAME's G queue is not public. A generator stands in: bursts of %d jobs of one"
            + " kind on average, more by day and on working days, %.0f jobs a day for %d days, 1 to"
            + " 32 nodes, %d %% with all three GPUs and the others with one or two, one or two CPUs"
            + " for each GPU, 2 to 16 GB, mean run %,.0f s. The mean run and the mean wait on the G"
            + " queue follow from the paper's percentages. Data sizes and transfers are those of"
            + " Table 1. %d seeds were played.",
        25,
        generator.jobsPerDay(),
        generator.days(),
        generator.allGpusPercent(),
        JobGenerator.MEAN_RUN_S,
        years.size());
  }

  private Table bySeed() {
    List<List<String>> rows = new ArrayList<>();
    years.forEach(year -> rows.add(seedRow(year.seed(), year.same(), year.remotePercent())));
    return new Table(
        "Each seed",
        List.of(
            "Seed",
            "Jobs",
            "Wait on G (s)",
            "Wait decrease (%)",
            "Run increase (%)",
            "Life decrease (%)",
            "Jobs with a remote GPU (%)"),
        rows);
  }

  /** The row of a seed in the table of all seeds. */
  static List<String> seedRow(long seed, Differences same, double remotePercent) {
    return List.of(
        Long.toString(seed),
        Numbers.plain(same.waitS().length, 0),
        Numbers.plain(same.firstWaitS(), 0),
        Numbers.plain(same.waitPercent(), 2),
        Numbers.plain(-same.runPercent(), 3),
        Numbers.plain(same.lifePercent(), 2),
        Numbers.plain(remotePercent, 2));
  }

  Part tableThree() {
    double[][] paper = {
      {-901.49, 4236.04, -5.81, 39.46, -907.29, 4238.53},
      {-32.87, 3654.48, -4.55, 35.27, -37.42, 3651.69},
      {449.14, 3277.54, -4.31, 34.41, 444.83, 3272.51},
      {963.60, 6678.48, -3.96, 32.25, 959.65, 6674.77}
    };
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < YearOfJobs.FEWER_NODES.size(); i++) {
      int nodes = YearOfJobs.FEWER_NODES.get(i);
      Function<YearOfJobs, Differences> of = year -> year.byNodes().get(nodes);
      rows.add(three(nodes, "wait", paper[i][0], paper[i][1], of, Differences::waitS, 1));
      rows.add(three(nodes, "run", paper[i][2], paper[i][3], of, Differences::runS, 2));
      rows.add(three(nodes, "life", paper[i][4], paper[i][5], of, Differences::lifeS, 1));
    }
    return new Part(
        "003",
        "Table 3: fewer nodes",
        List.of(
            "The R queue with fewer nodes against the G queue with 480, the same jobs. Each value"
                + " is the mean over all jobs, and after the slash the standard deviation among"
                + " the jobs; ± is the standard deviation among the seeds. Positive is better."),
        List.of(Table.comparison("Decrease on the R queue in seconds: mean / among jobs", rows)),
        List.of(),
        YearOfJobs.FEWER_NODES.stream().map(nodes -> fewer(nodes, paper)).toList());
  }

  /** For the summary: mean life alone. */
  private Row fewer(int nodes, double[][] paper) {
    double mean = paper[YearOfJobs.FEWER_NODES.indexOf(nodes)][4];
    return row(
        "life, R queue of " + nodes + " nodes (s)",
        mean,
        year -> Differences.mean(year.byNodes().get(nodes).lifeS()),
        1,
        "");
  }

  private Row three(
      int nodes,
      String what,
      double paperMean,
      double paperDeviation,
      Function<YearOfJobs, Differences> of,
      Function<Differences, double[]> values,
      int digits) {
    Spread mean = spread(year -> Differences.mean(values.apply(of.apply(year))));
    Spread deviation = spread(year -> Differences.deviation(values.apply(of.apply(year))));
    return new Row(
        nodes + " nodes, " + what + " (s)",
        Numbers.plain(paperMean, digits) + " / " + Numbers.plain(paperDeviation, 0),
        Numbers.spread(mean, digits) + " / " + Numbers.plain(deviation.mean(), 0),
        Numbers.signed(mean.mean() - paperMean, digits),
        what.equals("run")
            ? "More jobs have a remote GPU here, and more of them with fewer nodes."
            : inside(mean, paperMean));
  }

  private static String inside(Spread mean, double paper) {
    return Math.abs(mean.mean() - paper) <= mean.deviation()
        ? "Inside the spread of the seeds."
        : "Outside the spread of the seeds: the load of the log at its peaks is not known.";
  }

  /** Jobs by how much longer or shorter something is on the R queue. */
  private Picture histogram(
      String file, String title, Function<Differences, double[]> differences, double[] bins) {
    double[] longer = new double[bins.length];
    double[] shorter = new double[bins.length];
    double all = years.stream().mapToDouble(YearOfJobs::jobs).sum();
    for (YearOfJobs year : years) {
      for (double value : differences.apply(year.same())) {
        if (Math.abs(value) > 1) {
          (value < 0 ? longer : shorter)[bin(bins, Math.abs(value))] += 100 / all;
        }
      }
    }
    double same = 100 - Arrays.stream(longer).sum() - Arrays.stream(shorter).sum();
    String caption =
        String.format(
            Locale.ROOT,
            "%s on the R queue against the G queue, all seeds; %.1f %% of the jobs: the same to a"
                + " second, not shown",
            title,
            same);
    return new Picture(
        file,
        caption,
        () ->
            new Bars(
                    title + " on the R queue against the G queue",
                    bins == LONG_BINS ? "difference" : "difference in seconds",
                    "% of the jobs",
                    bins == LONG_BINS ? LONG_NAMES : SHORT_NAMES)
                .series("longer on the R queue", longer)
                .series("shorter on the R queue", shorter)
                .draw());
  }

  private static int bin(double[] bins, double value) {
    int bin = 0;
    while (value >= bins[bin] && bin < bins.length - 1) {
      bin++;
    }
    return bin;
  }

  /** What the paper could not have. */
  Part local() {
    List<List<String>> rows = new ArrayList<>();
    Spread gWait = spread(year -> year.same().firstWaitS());
    Spread gRun = spread(year -> year.same().firstRunS());
    rows.add(
        List.of(
            "G queue",
            Numbers.spread(gWait, 0),
            Numbers.plain(gRun.mean(), 0),
            life(gWait, gRun),
            "",
            ""));
    Spread rWait = spread(y -> y.same().firstWaitS() - Differences.mean(y.same().waitS()));
    Spread rRun = spread(y -> y.same().firstRunS() - Differences.mean(y.same().runS()));
    rows.add(
        List.of(
            "R queue",
            Numbers.spread(rWait, 0),
            Numbers.plain(rRun.mean(), 0),
            life(rWait, rRun),
            Numbers.plain(spread(y -> Differences.worsePercent(y.same().lifeS())).mean(), 1),
            "0"));
    for (LocalWay way : LocalWay.values()) {
      Spread wait = spread(year -> year.local().get(way).waitS());
      Spread run = spread(year -> year.local().get(way).runS());
      rows.add(
          List.of(
              way.title(),
              Numbers.spread(wait, 0),
              Numbers.plain(run.mean(), 0),
              life(wait, run),
              Numbers.plain(spread(year -> year.local().get(way).laterPercent()).mean(), 1),
              Numbers.plain(spread(y -> (double) y.local().get(way).neverEnded()).mean(), 1)));
    }
    return new Part(
        "003",
        "The same jobs on local devices only",
        List.of(
            "What the paper could not have: the same jobs and nodes with Slurm's queue (FIFO and"
                + " EASY backfill), where nodes are shared and every GPU is one of the job's own"
                + " nodes; one job per GPU, or several with schedGPU. The log has no device memory"
                + " and no GPU utilisation. Assumed: 6 GB per GPU, of which a job takes the share"
                + " that it takes of its nodes' host memory; contexts of 100 MB; the GPU busy for"
                + " the part of a job's time that is given; time limits of twice the run."),
        List.of(
            new Table(
                "Seconds, mean of the seeds",
                List.of(
                    "Way",
                    "Wait",
                    "Run",
                    "Life",
                    "Jobs that end later than on G (%)",
                    "Jobs that wait for each other forever"),
                rows)),
        List.of(),
        List.of());
  }

  private static String life(Spread wait, Spread run) {
    return Numbers.plain(wait.mean() + run.mean(), 0);
  }
}
