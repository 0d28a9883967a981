package org.schedgpu.papers.paper001;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;
import org.schedgpu.papers.phases.PhasedOutcome;

/** Table 3: the workload of twelve jobs, beside the paper and beside what the demo measured. */
final class TableThree {
  private static final Map<Configuration, String> WHY =
      Map.of(
          Configuration.EXCLUSIVE,
          "Slurm's pauses between jobs, times the scale of the demo.",
          Configuration.FIFO,
          "MUMmerGPU waits behind GPU-BLAST, which does not fit; the paper's programs hold"
              + " memory at other times than our stand-ins.",
          Configuration.MMU,
          "MUMmerGPU's small requests fit beside GPU-BLAST, and the longest job alone takes"
              + " 322.8 s; the paper does not say where its other 150 s go.",
          Configuration.PRIORITY_FIFO,
          "As MMU: MUMmerGPU never waits behind a request of a lower priority.",
          Configuration.PRIORITY_MMU,
          "As MMU.");

  private final Map<Configuration, PhasedOutcome> outcomes = new EnumMap<>(Configuration.class);
  private final Measured readme;

  /** Plays the six runs. */
  TableThree(Path root) {
    readme = Measured.of(root.resolve("README.md"));
    for (Configuration configuration : Configuration.values()) {
      outcomes.put(configuration, Workload.play(configuration));
    }
  }

  double totalS(Configuration configuration) {
    return Usage.totalS(outcomes.get(configuration));
  }

  /** By how many percent the simulated total differs from a measured one. */
  double offPercent(Configuration configuration, Measured.Run measured) {
    return 100 * (totalS(configuration) / measured.totalS() - 1);
  }

  Measured readme() {
    return readme;
  }

  Part part() {
    return new Part(
        "001",
        "Table 3: twelve jobs on one GPU",
        List.of(
            "Four instances each of ARA, MUMmerGPU and GPU-BLAST on one node with 12 CPUs and one"
                + " GPU of 4,799 MiB, played step by step: CPU part, context, allocations, kernels"
                + " that share the device equally, frees. Each decision on memory is the core's."
                + " The programs are stand-ins with the numbers of Tables 1 and 2, as in the demo.",
            String.format(
                Locale.ROOT,
                "Three parameters are those of Slurm in the demo, the same for all rows, in real"
                    + " seconds: %.2f from a submission to the start of the program, %.2f from the"
                    + " end of a job to the start of the next one that needs its GPU, %.2f between"
                    + " the starts of two jobs. The demo runs %.0f times faster than the paper's"
                    + " test-bed, so each counts %.0f times. A kernel takes 8 ms of real time, as"
                    + " in the demo.",
                SlurmTimes.START_S,
                SlurmTimes.NEXT_S,
                SlurmTimes.BETWEEN_STARTS_S,
                SlurmTimes.SCALE,
                SlurmTimes.SCALE)),
        List.of(
            Table.comparison("Total time, beside the paper", totals()), utilisation(), measured()),
        List.of(
            new Picture(
                "001-table-3.png",
                "Memory of the device in use over time, simulated",
                new MemoryChart(outcomes))),
        List.of(
            totals().get(0), totals().get(1), totals().get(2), totals().get(totals().size() - 1)));
  }

  private List<Row> totals() {
    List<Row> rows = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      if (configuration.paper() != null) {
        rows.add(
            Row.of(
                configuration.title() + " (s)",
                configuration.paper().totalS(),
                totalS(configuration),
                1,
                WHY.get(configuration)));
      }
    }
    return rows;
  }

  private Table utilisation() {
    List<Row> rows = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      if (configuration.paper() != null) {
        boolean exclusive = configuration == Configuration.EXCLUSIVE;
        rows.add(
            Row.ofPercent(
                configuration.title() + ", GPU busy (%)",
                configuration.paper().busyPercent(),
                Usage.busyPercent(outcomes.get(configuration)),
                1,
                "The same kernels in "
                    + (exclusive ? "slightly more" : "less")
                    + " time than the paper's."));
        rows.add(
            Row.ofPercent(
                configuration.title() + ", memory used (%)",
                configuration.paper().memoryPercent(),
                Usage.memoryPercent(outcomes.get(configuration)),
                1,
                exclusive
                    ? "Tables 1 and 2 of the paper give 6.0 %, not the 3.8 % of its Table 3."
                    : "The same memory in less time than the paper's."));
      }
    }
    return Table.comparison("Utilisation, beside the paper", rows);
  }

  /** Beside the demo: the same programs with real processes, Slurm and schedGPU. */
  private Table measured() {
    List<List<String>> rows = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      PhasedOutcome outcome = outcomes.get(configuration);
      rows.add(
          List.of(
              configuration.title(),
              outcome.completed() + "/12",
              Numbers.plain(Usage.totalS(outcome), 1),
              readme.of(configuration).map(TableThree::measured).orElse("not shown"),
              readme
                  .of(configuration)
                  .map(run -> Numbers.percent(offPercent(configuration, run)))
                  .orElse("")));
    }
    return new Table(
        "Simulated beside what `make demo` measured (README.md; its GPU is emulated): total time in"
            + " seconds",
        List.of("Configuration", "Jobs done", "Simulated", "Measured", "Difference"),
        rows);
  }

  private static String measured(Measured.Run run) {
    return Numbers.plain(run.totalS(), 1) + " (" + run.done() + "/12)";
  }
}
