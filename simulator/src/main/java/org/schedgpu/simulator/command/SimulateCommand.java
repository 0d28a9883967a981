package org.schedgpu.simulator.command;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.input.Jobs;
import org.schedgpu.simulator.input.Nodes;
import org.schedgpu.simulator.input.Release;
import org.schedgpu.simulator.input.SacctReader;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;
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
      "       schedgpu simulate --history FILE,... --nodes FILE --busy PERCENT",
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
  private static final Map<String, NodeChoice> NODE_CHOICES =
      Map.of("pack", NodeChoice.TIGHTEST, "first", NodeChoice.FIRST, "spread", NodeChoice.IDLEST);

  @Spec private CommandSpec spec;

  @Mixin private Inputs inputs;

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
          "The node of a job: pack (as Slurm by default, which fills nodes), first (as Slurm 26.05"
              + " and newer for --nodes=1: the first with room) or spread (the one with most idle"
              + " CPUs, CR_LLN in slurm.conf). Default: pack.")
  private String place = "pack";

  @Option(
      names = "--release",
      paramLabel = "NN.NN",
      description =
          "The release of Slurm, for its rules that changed. Default: Version= of the nodes, else"
              + " older than 25.05.")
  private String release;

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

  @Mixin private SlurmOptions slurm;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  public Integer call() {
    checkUsage();
    Plan plan = plan(inputs.jobs(), inputs.nodes());
    if (slurm.folder != null) {
      return new SlurmSweep(plan, slurm, outputs, spec.commandLine(), threads).call();
    }
    outputs.write(plan.answer(plan.sweep(threads).play(plan.scenarios(), this::progress)), out());
    return 0;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void checkUsage() {
    inputs
        .problem()
        .ifPresent(
            problem -> {
              throw usage(problem);
            });
    if (!order.matches("fifo|priority")) {
      throw usage("--order " + order + " is none of fifo, priority");
    }
    if (!NODE_CHOICES.containsKey(place)) {
      throw usage("--place " + place + " is none of pack, first, spread");
    }
    if (release != null && !new Release(release).isKnown()) {
      throw usage("--release " + release + " is no release of Slurm, such as 25.05");
    }
    if (threads < 1 || threads > 1024) {
      throw usage("--threads " + threads + " is not 1 to 1024");
    }
    if (slurm.folder == null && !slurm.sbatch.isEmpty()) {
      throw usage("--sbatch needs --slurm");
    }
    if (slurm.folder != null && inputs.isStdin()) {
      throw usage("--slurm cannot read the jobs from stdin: give a file that all nodes share");
    }
    if (overtakeLimit < 0) {
      throw usage("--overtake-limit " + overtakeLimit + " is less than 0");
    }
  }

  private ParameterException usage(String problem) {
    return new ParameterException(spec.commandLine(), problem);
  }

  private Plan plan(Jobs jobs, Nodes nodes) {
    Settings settings =
        new Settings(
            nodes.nodes(),
            inputs.contextBytes(),
            overtakeLimit,
            NODE_CHOICES.get(place),
            order.equals("priority"),
            place.equals("first") || release(nodes).isAtLeast(25, 5));
    List<Scenario> scenarios = sharing.scenarios();
    List<Job> playable = new ArrayList<>();
    for (Job job : jobs.jobs()) {
      if (Simulation.canRun(job, settings, scenarios)) {
        playable.add(job);
      } else {
        jobs.leftOut().add(whyNot(job, nodes.nodes()), inputs.name(job));
      }
    }
    if (playable.isEmpty()) {
      throw new SimulatorException(
          "no job of " + jobs.read() + " lines can be played" + jobs.leftOut().mostOften(),
          jobs.leftOut().mostOften().endsWith(": " + SacctReader.NO_GPU + ")")
              ? "sacct knows GPUs only if slurm.conf has AccountingStorageTRES=gres/gpu"
              : "check the inputs and --mem-default");
    }
    return new Plan(playable, settings, scenarios, seed, jobs, nodes, assumptions(jobs, nodes));
  }

  private Release release(Nodes nodes) {
    return new Release(release == null ? nodes.release() : release);
  }

  private List<String> assumptions(Jobs jobs, Nodes nodes) {
    List<String> lines = new ArrayList<>(inputs.assumptions(jobs, nodes));
    if (sharing.looksAtPriorities()) {
      lines.add("all jobs have the same priority on their nodes: the input has none");
    }
    return lines;
  }

  private static String whyNot(Job job, List<NodeSpec> nodes) {
    boolean hasType =
        job.gpuTypes().isEmpty()
            || nodes.stream().anyMatch(node -> job.gpuTypes().contains(node.gpuType()));
    return hasType
        ? "fits on no nodes of this cluster"
        : "needs GPUs of a type that no played node has";
  }

  /** Prints progress on a terminal. */
  private void progress(String done) {
    if (Boolean.getBoolean("schedgpu.terminal") && !outputs.isJson()) {
      PrintWriter err = spec.commandLine().getErr();
      synchronized (this) {
        err.println("played: " + done);
      }
    }
  }
}
