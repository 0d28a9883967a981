package org.schedgpu.simulator.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.simulator.input.Assumptions;
import org.schedgpu.simulator.input.GpuSizes;
import org.schedgpu.simulator.input.History;
import org.schedgpu.simulator.input.Jobs;
import org.schedgpu.simulator.input.Nodes;
import org.schedgpu.simulator.input.NodesReader;
import org.schedgpu.simulator.input.OpenbTrace;
import org.schedgpu.simulator.input.SacctReader;
import org.schedgpu.simulator.input.TextFile;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;
import picocli.CommandLine.Option;

/** The options for the jobs to simulate, the nodes, and the assumptions about them. */
final class Inputs {
  private static final String OPENB = "openb";
  private static final String STDIN = "-";
  private static final String HISTORY = "history";
  private static final int PERMILLE = 10;
  private static final int WHOLE = 100;

  @Option(
      names = "--sacct",
      paramLabel = "FILE",
      description = "Jobs as sacct prints them (see the page for the command); - is stdin.")
  private String sacct;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      split = ",",
      description =
          "Jobs as schedgpu history --json printed them on the nodes, a file for each node.")
  private List<Path> history = List.of();

  @Option(
      names = "--trace",
      paramLabel = "NAME",
      description = "Jobs and nodes of a public trace: openb (Alibaba, 2023).")
  private String trace;

  @Option(
      names = "--nodes",
      paramLabel = "FILE",
      description = "With --sacct and --history: what scontrol show nodes --oneliner printed.")
  private Path nodesFile;

  @Option(
      names = "--trace-dir",
      paramLabel = "DIR",
      description = "With --trace: where its files are.")
  private Path traceDir;

  @Option(
      names = "--gpu-mem",
      paramLabel = "[TYPE=]SIZE",
      split = ",",
      required = true,
      description = "Memory of each GPU, or of those of a type.")
  private List<String> gpuMem;

  @Option(
      names = "--mem-default",
      paramLabel = "SIZE",
      required = true,
      description =
          "Device memory of a job on each of its GPUs, without its CUDA context, where it is not"
              + " known.")
  private String memDefault;

  @Option(
      names = "--mem-from",
      paramLabel = "SOURCE",
      description =
          "With --sacct: history takes the memory that jobs really used from the files of"
              + " --history.")
  private String memFrom;

  @Option(
      names = "--busy",
      paramLabel = "PERCENT",
      description =
          "How much of its time a job keeps its GPU busy, 1 to 100. Not with --trace, which has"
              + " it.")
  private Integer busy;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      description = "Device memory of a CUDA context. Default: 512M.")
  private String context = "512M";

  private Map<Long, Long> known = Map.of();

  /** What is wrong with these options together. */
  Optional<String> problem() {
    String source = sacct != null ? "--sacct" : "--history";
    if (sacct == null && trace == null && history.isEmpty()) {
      return Optional.of("one of --sacct, --history and --trace is needed");
    }
    if (trace != null) {
      return traceProblem();
    }
    if (nodesFile == null) {
      return Optional.of(source + " needs --nodes");
    }
    if (busy == null || busy < 1 || busy > WHOLE) {
      return Optional.of(source + " needs --busy, 1 to 100");
    }
    if (memFrom != null && !memFrom.equals(HISTORY)) {
      return Optional.of("--mem-from " + memFrom + " is not history");
    }
    if (memFrom != null && history.isEmpty()) {
      return Optional.of("--mem-from history needs --history");
    }
    if (sacct != null && !history.isEmpty() && memFrom == null) {
      return Optional.of("--history beside --sacct needs --mem-from history");
    }
    return memoryProblem();
  }

  private Optional<String> traceProblem() {
    if (!trace.equals(OPENB)) {
      return Optional.of("--trace " + trace + " is not openb");
    }
    if (traceDir == null) {
      return Optional.of("--trace needs --trace-dir");
    }
    if (sacct != null || !history.isEmpty() || memFrom != null) {
      return Optional.of("--trace has its own jobs: leave --sacct, --history and --mem-from out");
    }
    if (busy != null || nodesFile != null) {
      return Optional.of("--trace has its own nodes and GPU time: leave --nodes and --busy out");
    }
    return memoryProblem();
  }

  private Optional<String> memoryProblem() {
    return Sizes.parseBytes(memDefault) == 0
        ? Optional.of("--mem-default " + memDefault + " is no memory at all")
        : Optional.empty();
  }

  /** The shown name of a job of the input. */
  String name(Job job) {
    return (sacct == null && trace == null ? "slurm:" : "line ") + job.id();
  }

  /** True if the jobs come from stdin, which can be read once. */
  boolean isStdin() {
    return STDIN.equals(sacct);
  }

  long contextBytes() {
    return Sizes.parseBytes(context);
  }

  /** The nodes of the cluster. */
  Nodes nodes() {
    GpuSizes sizes = new GpuSizes(gpuMem);
    return trace != null
        ? read(traceDir, () -> new Nodes(new OpenbTrace(traceDir).nodes(sizes)))
        : read(nodesFile, () -> nodes(sizes));
  }

  private Nodes nodes(GpuSizes sizes) throws IOException {
    try (BufferedReader lines = TextFile.open(nodesFile)) {
      return NodesReader.read(lines, nodesFile.toString(), sizes);
    }
  }

  /** The jobs. */
  Jobs jobs() {
    long defaultBytes = Sizes.parseBytes(memDefault);
    if (trace != null) {
      return read(traceDir, () -> new OpenbTrace(traceDir).jobs(defaultBytes));
    }
    History seen = history.isEmpty() ? null : read(history.get(0), () -> History.read(history));
    known = seen == null ? Map.of() : seen.deviceBytes(contextBytes());
    Assumptions assumptions = new Assumptions(defaultBytes, busy * PERMILLE, known);
    return sacct == null
        ? seen.jobs(ZoneId.systemDefault(), assumptions)
        : read(Path.of(sacct), () -> sacct(assumptions));
  }

  private Jobs sacct(Assumptions assumptions) throws IOException {
    try (BufferedReader lines =
        isStdin() ? TextFile.open(System.in) : TextFile.open(Path.of(sacct))) {
      return new SacctReader(ZoneId.systemDefault(), assumptions)
          .read(lines, isStdin() ? "stdin" : sacct);
    }
  }

  /** Reads a file. */
  private interface Reading<T> {
    T read() throws IOException;
  }

  private static <T> T read(Path file, Reading<T> reading) {
    try {
      return reading.read();
    } catch (NoSuchFileException missing) {
      throw new SimulatorException(missing.getFile() + ": there is no such file", "check the path");
    } catch (IOException problem) {
      throw new SimulatorException(
          file + ": " + problem.getMessage(), "check that it can be read and is UTF-8");
    }
  }

  /**
   * The basis of the answer, in sentences without a full stop.
   *
   * @param jobs that were read
   * @param nodes that were read
   */
  List<String> assumptions(Jobs jobs, Nodes nodes) {
    List<String> lines = new ArrayList<>();
    if (!nodes.down().isEmpty()) {
      lines.add(
          nodes.down().size()
              + " of "
              + nodes.nodes().size()
              + " nodes run jobs although they start none at present ("
              + String.join(", ", nodes.down().subList(0, Math.min(3, nodes.down().size())))
              + (nodes.down().size() > 3 ? ", ..." : "")
              + "): delete their lines if they had no jobs at the time");
    }
    String where = known.isEmpty() ? "each job needs " : "other jobs need ";
    if (!known.isEmpty()) {
      lines.add(
          jobs.memoryKnown()
              + " of "
              + jobs.jobs().size()
              + " jobs need the most that they used, as the history has it");
    }
    lines.add(
        where
            + memDefault
            + " on each GPU (--mem-default), and "
            + context
            + " for "
            + (known.isEmpty() ? "its context" : "each context")
            + " (--context)");
    lines.add(
        busy == null
            ? "a job keeps its GPU busy for all of the part that it asked for (gpu_milli)"
            : "a job keeps each GPU busy for " + busy + " % of its time (--busy)");
    if (trace == null && sacct == null) {
      lines.add(
          "jobs come when they began on their nodes, for they waited for Slurm before unseen; they"
              + " ran as fast as they would alone; CPUs and memory of nodes limit nobody");
    }
    lines.add(
        "jobs that keep a GPU busy for more than all of its time slow down evenly; no real GPU"
            + " has confirmed that");
    return lines;
  }
}
