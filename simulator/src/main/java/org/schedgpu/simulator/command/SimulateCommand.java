package org.schedgpu.simulator.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.simulator.answer.Answer;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.input.Assumptions;
import org.schedgpu.simulator.input.GpuSizes;
import org.schedgpu.simulator.input.Jobs;
import org.schedgpu.simulator.input.NodesReader;
import org.schedgpu.simulator.input.OpenbTrace;
import org.schedgpu.simulator.input.SacctReader;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;
import org.schedgpu.simulator.result.Recommendation;
import org.schedgpu.simulator.result.Summary;
import org.schedgpu.simulator.result.Sweep;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code schedgpu simulate}. */
@Command(
    name = "simulate",
    sortOptions = false,
    customSynopsis = {
      "schedgpu simulate --sacct FILE --nodes FILE --busy PERCENT",
      "                         --gpu-mem [TYPE=]SIZE,... --mem-default SIZE [OPTIONS]",
      "       schedgpu simulate --trace openb --trace-dir DIR",
      "                         --gpu-mem [TYPE=]SIZE,... --mem-default SIZE [OPTIONS]"
    },
    description = {
      "Replays the jobs of a cluster with shared GPUs.",
      "",
      "Tells for several ways to share how long jobs would have waited and run,",
      "which jobs would have ended later, and how certain that is, against one job per",
      "GPU. What the input does not know is asked for. Needs no GPU and no region."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Played.",
      "1:An input cannot be read, or no job of it can be played.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu simulate --sacct jobs.txt --nodes nodes.txt --gpu-mem 80G \\",
      "    --mem-default 12G --busy 40",
      "  schedgpu simulate --trace openb --trace-dir openb --gpu-mem 16G,A10=24G \\",
      "    --mem-default 6G --per-gpu 1..8 --overbook 1,1.5 --json"
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final String OPENB = "openb";
  private static final int PERMILLE = 10;
  private static final int WHOLE = 100;

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private Source source;

  private static final class Source {
    @Option(
        names = "--sacct",
        paramLabel = "FILE",
        description = "Jobs as sacct prints them (see the page for the command); - is stdin.")
    private String sacct;

    @Option(
        names = "--trace",
        paramLabel = "NAME",
        description = "Jobs and nodes of a public trace: openb (Alibaba, 2023).")
    private String trace;
  }

  @Option(
      names = "--nodes",
      paramLabel = "FILE",
      description = "With --sacct: what scontrol show nodes --oneliner printed.")
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
      description = "Device memory of a job on each of its GPUs, without its CUDA context.")
  private String memDefault;

  @Option(
      names = "--busy",
      paramLabel = "PERCENT",
      description =
          "With --sacct: how much of its time a job keeps its GPU busy, 1 to 100. A trace has it.")
  private Integer busy;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      description = "Device memory of a CUDA context. Default: 512M.")
  private String context = "512M";

  @Mixin private Sharing sharing;

  @Option(
      names = "--order",
      paramLabel = "HOW",
      description = "The queue of the cluster: fifo or priority (of sacct). Default: fifo.")
  private String order = "fifo";

  @Option(
      names = "--place",
      paramLabel = "HOW",
      description =
          "The node of a job: pack (the first with room) or spread (the one with most idle CPUs,"
              + " CR_LLN in slurm.conf). Default: pack.")
  private String place = "pack";

  @Option(
      names = "--overtake-limit",
      paramLabel = "N",
      description = "OvertakeLimit of schedgpu.conf. Default: 64.")
  private int overtakeLimit = 64;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the random numbers of the uncertainty. Default: 1.")
  private long seed = 1;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Configurations played at the same time. Default: the processors.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Mixin private Outputs outputs;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  public Integer call() {
    checkUsage();
    GpuSizes sizes = new GpuSizes(gpuMem);
    Jobs jobs;
    List<NodeSpec> nodes;
    if (source.trace != null) {
      OpenbTrace trace = new OpenbTrace(traceDir);
      nodes = read(traceDir, () -> trace.nodes(sizes));
      jobs = read(traceDir, () -> trace.jobs(Sizes.parseBytes(memDefault)));
    } else {
      nodes = read(nodesFile, () -> nodes(sizes));
      jobs = read(Path.of(source.sacct), this::sacct);
    }
    outputs.write(play(jobs, nodes), spec.commandLine().getOut());
    return 0;
  }

  private void checkUsage() {
    if (source.trace != null && !source.trace.equals(OPENB)) {
      throw usage("--trace " + source.trace + " is not openb");
    }
    if (source.trace != null && traceDir == null) {
      throw usage("--trace needs --trace-dir");
    }
    if (source.trace != null && (busy != null || nodesFile != null)) {
      throw usage("--trace has its own nodes and GPU time: leave --nodes and --busy out");
    }
    if (source.sacct != null && nodesFile == null) {
      throw usage("--sacct needs --nodes");
    }
    if (source.sacct != null && (busy == null || busy < 1 || busy > WHOLE)) {
      throw usage("--sacct needs --busy, 1 to 100");
    }
    if (!order.matches("fifo|priority")) {
      throw usage("--order " + order + " is none of fifo, priority");
    }
    if (!place.matches("pack|spread")) {
      throw usage("--place " + place + " is none of pack, spread");
    }
    if (threads < 1 || threads > 1024) {
      throw usage("--threads " + threads + " is not 1 to 1024");
    }
    if (overtakeLimit < 0) {
      throw usage("--overtake-limit " + overtakeLimit + " is less than 0");
    }
    if (Sizes.parseBytes(memDefault) == 0) {
      throw usage("--mem-default " + memDefault + " is no memory at all");
    }
  }

  private ParameterException usage(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }

  /** What reads a file. */
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

  private List<NodeSpec> nodes(GpuSizes sizes) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(nodesFile, StandardCharsets.UTF_8)) {
      return NodesReader.read(lines, nodesFile.toString(), sizes);
    }
  }

  private Jobs sacct() throws IOException {
    boolean stdin = source.sacct.equals("-");
    try (BufferedReader lines =
        stdin
            ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
            : Files.newBufferedReader(Path.of(source.sacct), StandardCharsets.UTF_8)) {
      return new SacctReader(
              ZoneId.systemDefault(),
              new Assumptions(Sizes.parseBytes(memDefault), busy * PERMILLE))
          .read(lines, stdin ? "stdin" : source.sacct);
    }
  }

  private Answer play(Jobs jobs, List<NodeSpec> nodes) {
    Settings settings =
        new Settings(
            nodes,
            Sizes.parseBytes(context),
            overtakeLimit,
            place.equals("spread"),
            order.equals("priority"));
    List<Job> playable = new ArrayList<>();
    for (Job job : jobs.jobs()) {
      if (Simulation.canRun(job, settings)) {
        playable.add(job);
      } else {
        jobs.leftOut().add("fits on no nodes of this cluster", "line " + job.id());
      }
    }
    if (playable.isEmpty()) {
      throw new SimulatorException(
          "no job of " + jobs.read() + " lines can be played" + firstReason(jobs),
          "check the inputs and --mem-default");
    }
    List<Summary> summaries =
        new Sweep(playable, settings, seed, threads).play(sharing.scenarios(), this::progress);
    return new Answer(
        playable.size(),
        nodes.size(),
        nodes.stream().mapToInt(NodeSpec::gpus).sum(),
        jobs.read(),
        jobs.leftOut().reasons(),
        assumptions(),
        summaries,
        Recommendation.of(summaries));
  }

  private static String firstReason(Jobs jobs) {
    return jobs.leftOut().reasons().entrySet().stream()
        .max((a, b) -> Long.compare(a.getValue().lines(), b.getValue().lines()))
        .map(most -> " (" + most.getValue().lines() + ": " + most.getKey() + ")")
        .orElse("");
  }

  private List<String> assumptions() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "each job needs "
            + memDefault
            + " on each GPU (--mem-default), and "
            + context
            + " for its context (--context)");
    lines.add(
        busy == null
            ? "a job keeps its GPU busy for all of the part that it asked for (gpu_milli)"
            : "a job keeps each GPU busy for " + busy + " % of its time (--busy)");
    lines.add(
        "jobs that keep a GPU busy for more than all of its time slow down evenly; no real GPU"
            + " has confirmed that");
    if (sharing.looksAtPriorities()) {
      lines.add("all jobs have the same priority on their nodes: the input has none");
    }
    return lines;
  }

  /** For who waits at a terminal. */
  private void progress(String done) {
    if (Boolean.getBoolean("schedgpu.terminal") && !outputs.isJson()) {
      PrintWriter err = spec.commandLine().getErr();
      synchronized (this) {
        err.println("played: " + done);
      }
    }
  }
}
