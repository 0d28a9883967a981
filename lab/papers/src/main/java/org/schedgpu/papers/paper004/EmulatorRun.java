package org.schedgpu.papers.paper004;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.schedgpu.demo.EmulatedLanes;
import org.schedgpu.demo.EmulatedLanes.Device;
import org.schedgpu.demo.EmulatedLanes.Outcome;
import org.schedgpu.demo.EmulatedLanes.Program;
import org.schedgpu.demo.Iteration;

/** Runs what is short of paper 004 on the emulated GPU: real processes, the real library. */
final class EmulatorRun {
  /** Figure 11 is so many times shorter. */
  static final int SHORTER = 10;

  /** So small that there is one lane for the three jobs of Figure 11. */
  static final int FAIR_DEVICE_MIB = 8192;

  static final int CONTEXT_MIB = 64;

  /** Of Figure 13: 42 contexts and all models fit. */
  static final int SERVING_CONTEXT_MIB = 32;

  /** Figure 9 is so many times shorter. */
  static final int PREEMPTION_SHORTER = 30;

  /**
   * Of Figure 9: beside the first job there is never room for what another one needs, and always
   * for what it keeps. So there is one lane.
   */
  static final int PREEMPTION_DEVICE_MIB = 14_450;

  static final List<Integer> FIGURES = List.of(6, 9, 11, 13);

  static final int REQUESTS = 15;
  static final double GAP_S = 2;
  private static final int GB_MIB = 1000;

  /** Images of an iteration, at the speed of the paper. */
  private static final double IMAGES = (double) FairSharing.BATCH / SHORTER;

  private static final double MS = 1e6;
  private static final double S = 1e9;

  private final EmulatedLanes lanes;
  private final Map<String, Double> figures = new LinkedHashMap<>();

  private EmulatorRun(Path root) {
    this.lanes = new EmulatedLanes(root);
  }

  /**
   * Runs some of {@link #FIGURES}, and returns their numbers as {@link Emulated} knows them.
   *
   * @throws IllegalArgumentException naming a figure that it cannot run
   */
  static Map<String, Double> run(Path root, List<Integer> figures, Consumer<String> progress)
      throws InterruptedException {
    EmulatorRun run = new EmulatorRun(root);
    for (int figure : figures) {
      progress.accept("004: Figure %d on the EMULATED GPU".formatted(figure));
      switch (figure) {
        case 6 -> run.figureSix();
        case 9 -> run.figureNine();
        case 11 -> run.figureEleven();
        case 13 -> run.figureThirteen();
        default -> throw new IllegalArgumentException("figure " + figure);
      }
    }
    return run.figures;
  }

  private void figureSix() throws InterruptedException {
    figures.put("figure6.deadlocks.without", lanes.deadlocks(GB_MIB, false) ? 1.0 : 0);
    figures.put("figure6.deadlocks.lanes", lanes.deadlocks(GB_MIB, true) ? 1.0 : 0);
  }

  private static Program program(Workload workload, String name, long atMs, int scale, int count) {
    long persistent = (long) Math.ceil(workload.persistentMib());
    return new Program(
        name,
        atMs,
        persistent,
        Math.max(1, (long) Math.ceil(workload.peakMib()) - persistent),
        Math.max(1, workload.cpuNs() / 1000 / scale),
        workload.gpuNs() / 1000 / scale,
        count,
        0);
  }

  private static Program planned(Preemption.Planned job, int number) {
    Program like =
        program(
            Workload.named(job.workload()),
            "job " + number,
            job.arriveS() * 1000L / PREEMPTION_SHORTER,
            PREEMPTION_SHORTER,
            job.iterations());
    return new Program(
        like.name(),
        like.arrivalMs(),
        like.persistentMib(),
        like.ephemeralMib(),
        like.cpuUs(),
        like.kernelUs(),
        like.iterations(),
        0,
        job.lengthS() * 1000L / PREEMPTION_SHORTER);
  }

  private void figureNine() throws InterruptedException {
    List<Program> six = new ArrayList<>();
    for (Preemption.Planned job : Preemption.PLAN) {
      six.add(planned(job, six.size()));
    }
    Device device = new Device(PREEMPTION_DEVICE_MIB, CONTEXT_MIB, 1000);
    Outcome outcome = lanes.play(device, "srtf", six);
    List<List<Iteration>> jobs = outcome.iterations();
    for (int i = 0; i < jobs.size(); i++) {
      figures.put("figure9.end." + i, (last(jobs.get(i)) - outcome.startNs()) / S);
    }
    for (int job : List.of(1, 5)) {
      double tookMs = (first(jobs.get(job)) - asked(jobs.get(job))) / MS;
      figures.put("figure9.takes_over_ms." + job, tookMs);
    }
    figures.put("figure9.overlaps", overlaps(jobs) ? 1.0 : 0);
    figures.put("figure9.peak_mib", (double) (outcome.peakBytes() >> 20));
  }

  /** True if iterations of two jobs ran at a time: then they were not in one lane. */
  private static boolean overlaps(List<List<Iteration>> jobs) {
    List<Iteration> all =
        jobs.stream()
            .flatMap(List::stream)
            .sorted(Comparator.comparingLong(Iteration::begunNs))
            .toList();
    for (int i = 1; i < all.size(); i++) {
      if (all.get(i).begunNs() < all.get(i - 1).endedNs()) {
        return true;
      }
    }
    return false;
  }

  private void figureEleven() throws InterruptedException {
    Workload workload = Workload.named(FairSharing.THREE);
    List<Program> three = new ArrayList<>();
    for (int i = 0; i < FairSharing.ITERATIONS.length; i++) {
      long atMs = i * 1000L * FairSharing.APART_S / SHORTER;
      three.add(program(workload, "job " + i, atMs, SHORTER, FairSharing.ITERATIONS[i]));
    }
    Outcome outcome = lanes.play(new Device(FAIR_DEVICE_MIB, CONTEXT_MIB, SHORTER), "fair", three);
    List<List<Iteration>> jobs = outcome.iterations();
    double alone = rate(jobs.get(0), first(jobs.get(0)), asked(jobs.get(1)));
    double half = rate(jobs.get(1), first(jobs.get(1)), asked(jobs.get(2)));
    double third = rate(jobs.get(2), first(jobs.get(2)), last(jobs.get(2)));
    double seconds = (last(jobs.get(0)) - first(jobs.get(0))) / S;
    double all = jobs.stream().mapToInt(List::size).sum() / seconds;
    figures.put("figure11.alone", alone * IMAGES);
    figures.put("figure11.half", half / alone);
    figures.put("figure11.third", third / alone);
    figures.put("figure11.sum", all / alone);
    for (int i = 0; i < jobs.size(); i++) {
      figures.put("figure11.end." + (i + 1), (last(jobs.get(i)) - outcome.startNs()) / S);
    }
    figures.put("figure11.peak_mib", (double) (outcome.peakBytes() >> 20));
  }

  private static long asked(List<Iteration> iterations) {
    return iterations.get(0).askedNs();
  }

  private static long first(List<Iteration> iterations) {
    return iterations.get(0).begunNs();
  }

  private static long last(List<Iteration> iterations) {
    return iterations.get(iterations.size() - 1).endedNs();
  }

  /** Iterations per second between two times, parts included. */
  private static double rate(List<Iteration> iterations, long fromNs, long toNs) {
    double count = iterations.stream().mapToDouble(one -> one.part(fromNs, toNs)).sum();
    return count / ((toNs - fromNs) / S);
  }

  private void figureThirteen() throws InterruptedException {
    List<Program> servers = new ArrayList<>();
    List<Double> aloneMs = new ArrayList<>();
    for (int i = 0; i < Serving.INSTANCES; i++) {
      for (Workload model : Serving.models()) {
        Program one = program(model, model.name() + " " + i, 0, 1, REQUESTS);
        servers.add(
            new Program(
                one.name(),
                0,
                one.persistentMib(),
                one.ephemeralMib(),
                one.cpuUs(),
                one.kernelUs(),
                REQUESTS,
                (long) (GAP_S * 1e6)));
        aloneMs.add((one.cpuUs() + one.kernelUs()) / 1e3);
      }
    }
    long mib = Workload.DEVICE_BYTES >> 20;
    Outcome outcome = lanes.play(new Device(mib, SERVING_CONTEXT_MIB, 1000), "fair", servers);
    List<Double> added = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      for (Iteration one : outcome.iterations().get(i)) {
        added.add((one.endedNs() - one.askedNs()) / MS - aloneMs.get(i));
      }
    }
    List<Double> sorted = added.stream().sorted().toList();
    figures.put("figure13.at_once", (double) outcome.atOnce());
    figures.put("figure13.added_ms", added.stream().mapToDouble(ms -> ms).average().orElse(0));
    figures.put("figure13.late_ms", sorted.get((int) (0.99 * sorted.size())));
    figures.put("figure13.peak_mib", (double) (outcome.peakBytes() >> 20));
  }

  /** The figures as {@link Emulated} reads them. */
  static String text(Map<String, Double> figures) {
    StringBuilder text = new StringBuilder(Emulated.HEAD);
    figures.forEach(
        (name, value) -> text.append(String.format(Locale.ROOT, "%s\t%.3f%n", name, value)));
    return text.toString();
  }
}
