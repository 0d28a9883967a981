package org.schedgpu.papers.paper004;

import java.nio.file.Path;
import java.util.ArrayList;
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

  static final int REQUESTS = 15;
  static final double GAP_S = 2;
  private static final int GB_MIB = 1000;

  /** Images of an iteration, at the speed of the paper. */
  private static final double IMAGES = (double) FairSharing.BATCH / SHORTER;

  private static final double MS = 1e6;
  private static final double S = 1e9;

  private final EmulatedLanes lanes;
  private final Consumer<String> progress;
  private final Map<String, Double> figures = new LinkedHashMap<>();

  private EmulatorRun(Path root, Consumer<String> progress) {
    this.lanes = new EmulatedLanes(root);
    this.progress = progress;
  }

  /** Runs all, and returns the figures of {@link Emulated} by their names. */
  static Map<String, Double> run(Path root, Consumer<String> progress) throws InterruptedException {
    EmulatorRun run = new EmulatorRun(root, progress);
    run.figureSix();
    run.figureEleven();
    run.figureThirteen();
    return run.figures;
  }

  private void figureSix() throws InterruptedException {
    progress.accept("004: Figure 6 on the EMULATED GPU");
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

  private void figureEleven() throws InterruptedException {
    progress.accept("004: Figure 11 on the EMULATED GPU");
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
    progress.accept("004: Figure 13 on the EMULATED GPU");
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
