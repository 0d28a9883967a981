package org.schedgpu.papers.paper004;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Lines;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Figures 10 and 11: jobs in one lane have equal parts of the device's time. */
final class FairSharing {
  private static final double S = 1e9;
  private static final long SHORT_QUANTUM_NS = 100_000_000L;
  private static final int WINDOW_S = 5;
  private static final List<String> FOUR =
      List.of("googlenet 100", "resnet50 25", "alexnet 100", "resnet50 50");

  /** Iterations of the three jobs of Figure 11, by the authors' script; the second 15 s later. */
  static final int[] ITERATIONS = {145, 75, 35};

  static final int APART_S = 15;
  static final String THREE = "inception3 50";
  static final int BATCH = 50;

  private final LaneOutcome three = play(threeJobs(), SHORT_QUANTUM_NS);

  private static LaneOutcome play(List<LaneJob> jobs, long quantumNs) {
    return LaneSimulation.play(
        jobs,
        LaneSettings.of(Workload.DEVICE_BYTES, LanePolicy.FAIR)
            .withLanes(1)
            .withQuantum(quantumNs));
  }

  private static List<LaneJob> threeJobs() {
    Workload workload = Workload.named(THREE);
    return IntStream.range(0, ITERATIONS.length)
        .mapToObj(i -> workload.job((long) (i * APART_S * S), ITERATIONS[i]))
        .toList();
  }

  /** Four jobs that are long enough for two minutes. */
  static List<LaneJob> fourJobs() {
    return FOUR.stream()
        .map(Workload::named)
        .map(of -> of.job(0, (int) (60 * S / (of.cpuNs() + of.gpuNs()))))
        .toList();
  }

  /** The percentages that each job has of the iterations' time until a time. */
  static double[] percents(LaneOutcome outcome, double untilS) {
    double[] times = new double[outcome.jobs().size()];
    double sum = 0;
    for (int job = 0; job < times.length; job++) {
      LaneOutcome.JobRun run = outcome.jobs().get(job);
      for (int i = 0; i < run.endNs().length; i++) {
        times[job] += Math.max(0, Math.min(untilS * S, (double) run.endNs()[i]) - run.beginNs()[i]);
      }
      sum += times[job];
    }
    for (int job = 0; job < times.length; job++) {
      times[job] *= 100 / sum;
    }
    return times;
  }

  /** The mean time of a turn, until a time, in seconds. */
  private static double meanTurnS(LaneOutcome outcome, double untilS) {
    record Iteration(int job, long beginNs) {}

    List<Iteration> all = new ArrayList<>();
    for (int job = 0; job < outcome.jobs().size(); job++) {
      for (long beginNs : outcome.jobs().get(job).beginNs()) {
        if (beginNs < untilS * S) {
          all.add(new Iteration(job, beginNs));
        }
      }
    }
    all.sort(Comparator.comparingLong(Iteration::beginNs));
    int turns = 1;
    for (int i = 1; i < all.size(); i++) {
      turns += all.get(i).job() == all.get(i - 1).job() ? 0 : 1;
    }
    return untilS / turns;
  }

  /** Images a second of a job of Figure 11, or of all (-1), by iterations that ended then. */
  double imagesPerS(int job, double fromS, double toS) {
    double images = 0;
    for (int i = 0; i < ITERATIONS.length; i++) {
      LaneOutcome.JobRun run = three.jobs().get(i);
      for (int k = 0; k < run.endNs().length && (job < 0 || job == i); k++) {
        double length = run.endNs()[k] - run.beginNs()[k];
        double inside =
            Math.min(toS * S, (double) run.endNs()[k])
                - Math.max(fromS * S, (double) run.beginNs()[k]);
        images += BATCH * Math.max(0, inside) / length;
      }
    }
    return images / (toS - fromS);
  }

  /** The images a second of all over the whole time, of one alone. */
  double sumOfOneAlone() {
    return imagesPerS(-1, 0, three.makespanNs() / S) / imagesPerS(0, 0, APART_S);
  }

  /** When the jobs end, the first of them first, at another speed. */
  String ends(double scale) {
    return "%s, %s and %s"
        .formatted(
            Numbers.plain(scale * three.jobs().get(2).lastNs() / S, 1),
            Numbers.plain(scale * three.jobs().get(1).lastNs() / S, 1),
            Numbers.plain(scale * three.jobs().get(0).lastNs() / S, 1));
  }

  Part part() {
    List<Row> rows = new ArrayList<>(figureTen());
    rows.addAll(figureEleven());
    return new Part(
        "004",
        "Figures 10 and 11: fair sharing",
        List.of(
            "One lane, FAIR. Figure 10: the four jobs of the paper, two minutes. Figure 11: three"
                + " jobs that train inception3 50, at 0, 15 and 30 s, with 145, 75 and 35"
                + " iterations as in the authors' script; a quantum of 100 ms, so that each"
                + " iteration, which takes 362 ms, is a turn."),
        List.of(Table.comparison("Shares of the device's time", rows)),
        List.of(
            new Picture(
                "salus-figure-11.png",
                "Figure 11: three equal jobs share one device (simulated)",
                this::picture)),
        List.of(rows.get(2), rows.get(3)));
  }

  private static List<Row> figureTen() {
    double untilS = 120;
    LaneOutcome second = play(fourJobs(), (long) S);
    LaneOutcome quick = play(fourJobs(), SHORT_QUANTUM_NS);
    double[] percents = percents(quick, untilS);
    double least = Arrays.stream(percents).min().orElse(0);
    double most = Arrays.stream(percents).max().orElse(0);
    return List.of(
        Row.ofShape(
            "Figure 10, share of each of four jobs (%)",
            "equal",
            Numbers.plain(least, 1) + " to " + Numbers.plain(most, 1),
            most - least < 1,
            "A quantum of 100 ms; an iteration more or less is all that differs."),
        Row.ofShape(
            "Figure 10, mean turn (s)",
            "below 1",
            Numbers.plain(meanTurnS(quick, untilS), 2),
            meanTurnS(quick, untilS) < 1,
            "With our default quantum of 1 s it is %s s: the paper has no quantum."
                .formatted(Numbers.plain(meanTurnS(second, untilS), 2))));
  }

  private List<Row> figureEleven() {
    double alone = imagesPerS(0, 0, 15);
    double half = imagesPerS(1, 15, 30);
    double third = imagesPerS(2, 30, 45);
    double total = imagesPerS(-1, 0, three.makespanNs() / S);
    boolean reverse =
        three.jobs().get(2).lastNs() < three.jobs().get(1).lastNs()
            && three.jobs().get(1).lastNs() < three.jobs().get(0).lastNs();
    return List.of(
        part("Figure 11, each of two (of one alone)", 0.5, half / alone),
        part("Figure 11, each of three (of one alone)", 1.0 / 3, third / alone),
        part("Figure 11, sum over the whole time (of one alone)", 1, total / alone),
        Row.ofShape(
            "Figure 11, the jobs end in the reverse order",
            "yes",
            reverse ? "yes" : "no",
            reverse,
            "At %s, %s and %s s."
                .formatted(
                    Numbers.plain(three.jobs().get(2).lastNs() / S, 0),
                    Numbers.plain(three.jobs().get(1).lastNs() / S, 0),
                    Numbers.plain(three.jobs().get(0).lastNs() / S, 0))));
  }

  private static Row part(String what, double paper, double here) {
    return Row.of(what, paper, here, 3, "Whole iterations; switching takes no time here.");
  }

  private BufferedImage picture() {
    double endS = three.makespanNs() / S;
    Lines lines =
        new Lines(
            "Figure 11: three jobs train inception3 50 (FAIR, simulated)",
            "seconds; mean of %d s".formatted(WINDOW_S),
            "images a second");
    String[] names = {"first", "second", "third", "all"};
    for (int line = 0; line < names.length; line++) {
      int points = (int) endS;
      double[] x = new double[points];
      double[] y = new double[points];
      for (int i = 0; i < points; i++) {
        double from = Math.max(0, i - WINDOW_S / 2.0);
        double to = Math.min(endS, i + WINDOW_S / 2.0);
        x[i] = i;
        y[i] = imagesPerS(line == 3 ? -1 : line, from, to);
      }
      lines.line(names[line], x, y);
    }
    return lines.draw();
  }
}
