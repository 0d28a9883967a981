package org.schedgpu.papers.paper004;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Table;

/** Figures 6, 9, 11 and 13 as they were measured on the emulated GPU, beside the simulator's. */
public final class Emulated {
  static final String HEAD =
      "# Measured on the EMULATED GPU by: lab/papers/src/main/sh/papers --emulator\n";

  private static final Path FILE =
      Path.of("lab/papers/src/main/resources/org/schedgpu/papers/paper004/emulated.tsv");

  private final Map<String, Double> figures = new LinkedHashMap<>();

  /** Reads what was measured last. */
  Emulated(Path root) {
    try {
      for (String line : Files.readAllLines(root.resolve(FILE), StandardCharsets.UTF_8)) {
        String[] words = line.split("\t", -1);
        if (words.length == 2) {
          figures.put(words[0], Double.valueOf(words[1]));
        }
      }
    } catch (IOException problem) {
      throw new UncheckedIOException("papers: cannot read " + root.resolve(FILE), problem);
    }
  }

  /**
   * Measures some figures again, and keeps their numbers beside those of the others.
   *
   * @param measured some of {@link #figures}
   * @param progress is told what begins
   */
  public static Part measure(Path root, List<Integer> measured, Consumer<String> progress)
      throws IOException, InterruptedException {
    Map<String, Double> all = new Emulated(root).figures;
    all.putAll(EmulatorRun.run(root, measured, progress));
    String text = EmulatorRun.text(all);
    Path written = root.resolve(FILE + ".new");
    Files.writeString(written, text, StandardCharsets.UTF_8);
    Files.move(written, root.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
    return new Emulated(root).part(new FairSharing(), new Preemption());
  }

  /** The figures that can be measured. */
  public static List<Integer> figures() {
    return EmulatorRun.FIGURES;
  }

  private double of(String name) {
    Double value = figures.get(name);
    if (value == null) {
      throw new IllegalStateException(
          "papers: " + FILE + " has no " + name + ": run papers --emulator");
    }
    return value;
  }

  private String number(String name, int digits) {
    return Numbers.plain(of(name), digits);
  }

  private String deadlock(String name) {
    return of(name) > 0 ? "deadlock" : "none";
  }

  /** The same servers in the simulator. */
  private static Serving.Latency simulated() {
    LaneOutcome outcome =
        LaneSimulation.play(
            Serving.jobs(1, EmulatorRun.REQUESTS, EmulatorRun.GAP_S),
            LaneSettings.of(Workload.DEVICE_BYTES, LanePolicy.FAIR));
    return Serving.added(outcome);
  }

  private List<String> takesOver(Preemption preemption, int job, int from) {
    return List.of(
        "Figure 9, #%d takes over from #%d after (ms)".formatted(job, from),
        "at once",
        Numbers.plain(preemption.takesOverMs(job) / EmulatorRun.PREEMPTION_SHORTER, 0),
        number("figure9.takes_over_ms." + job, 0));
  }

  Part part(FairSharing sharing, Preemption preemption) {
    Serving.Latency simulated = simulated();
    double alone = sharing.imagesPerS(0, 0, FairSharing.APART_S);
    return new Part(
        "004",
        "Figures 6, 9, 11 and 13 on the emulated GPU",
        List.of(
            ("Real processes in lanes of the real library, on an EMULATED GPU, whose kernels take"
                    + " time and compute nothing; measured once. Memory and times are those of the"
                    + " same table, so what is ours there is ours here. Each process has a context."
                    + " Figure 9: %d times shorter, and a device of %s MiB, so that there is one"
                    + " lane. Figure 11: %d times shorter, contexts of %d MiB, and a device of %s"
                    + " MiB, so that there is one lane. Figure 13: %d requests of each model, one"
                    + " every %s s, which is more often than above; contexts of %d MiB, and as many"
                    + " lanes as fit.")
                .formatted(
                    EmulatorRun.PREEMPTION_SHORTER,
                    Numbers.plain(EmulatorRun.PREEMPTION_DEVICE_MIB, 0),
                    EmulatorRun.SHORTER,
                    EmulatorRun.CONTEXT_MIB,
                    Numbers.plain(EmulatorRun.FAIR_DEVICE_MIB, 0),
                    EmulatorRun.REQUESTS,
                    Numbers.plain(EmulatorRun.GAP_S, 0),
                    EmulatorRun.SERVING_CONTEXT_MIB)),
        List.of(
            new Table(
                "On the EMULATED GPU",
                List.of("What", "Paper", "Simulated", "Emulated"),
                List.of(
                    List.of(
                        "Figure 6, no lanes, no schedGPU",
                        "deadlock",
                        FigureSix.deadlocksByTurns() ? "deadlock" : "none",
                        deadlock("figure6.deadlocks.without")),
                    List.of(
                        "Figure 6, with lanes",
                        "none",
                        FigureSix.inLanes().makespanNs() > 0 ? "none" : "deadlock",
                        deadlock("figure6.deadlocks.lanes")),
                    List.of(
                        "Figure 9, order of ends",
                        Preemption.ORDER,
                        preemption.order(),
                        Preemption.order(job -> of("figure9.end." + job))),
                    takesOver(preemption, 1, 0),
                    takesOver(preemption, 5, 4),
                    List.of(
                        "Figure 9, iterations of two jobs at a time",
                        "none",
                        "none",
                        of("figure9.overlaps") > 0 ? "some" : "none"),
                    List.of(
                        "Figure 11, images a second of one alone",
                        "-",
                        Numbers.plain(alone, 0),
                        number("figure11.alone", 0)),
                    List.of(
                        "Figure 11, each of two (of one alone)",
                        "0.500",
                        Numbers.plain(
                            sharing.imagesPerS(1, FairSharing.APART_S, 2 * FairSharing.APART_S)
                                / alone,
                            3),
                        number("figure11.half", 3)),
                    List.of(
                        "Figure 11, each of three (of one alone)",
                        "0.333",
                        Numbers.plain(
                            sharing.imagesPerS(2, 2 * FairSharing.APART_S, 3 * FairSharing.APART_S)
                                / alone,
                            3),
                        number("figure11.third", 3)),
                    List.of(
                        "Figure 11, sum over the whole time (of one alone)",
                        "1",
                        Numbers.plain(sharing.sumOfOneAlone(), 3),
                        number("figure11.sum", 3)),
                    List.of(
                        "Figure 11, the jobs end after (s)",
                        "-",
                        sharing.ends(1.0 / EmulatorRun.SHORTER),
                        "%s, %s and %s"
                            .formatted(
                                number("figure11.end.3", 1),
                                number("figure11.end.2", 1),
                                number("figure11.end.1", 1))),
                    List.of(
                        "Figure 13, models on one device at once",
                        "42",
                        Integer.toString(Serving.INSTANCES * Serving.models().size()),
                        number("figure13.at_once", 0)),
                    List.of(
                        "Figure 13, mean added latency (ms)",
                        "below 5",
                        Numbers.plain(simulated.meanMs(), 2),
                        number("figure13.added_ms", 2)),
                    List.of(
                        "Figure 13, 99 % of the requests below (ms)",
                        "-",
                        Numbers.plain(simulated.lateMs(), 1),
                        number("figure13.late_ms", 1))))),
        List.of(),
        List.of());
  }
}
