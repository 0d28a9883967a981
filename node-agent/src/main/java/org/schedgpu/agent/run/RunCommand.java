package org.schedgpu.agent.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.command.NodeCommand;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.setup.NodeFactsReader;
import org.schedgpu.agent.setup.PreloadLibrary;
import org.schedgpu.agent.setup.RegionSetup;
import org.schedgpu.agent.setup.RegionUpdate;
import org.schedgpu.agent.slurm.SlurmSurroundings;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RunOptions;
import org.schedgpu.jna.SchedGpuException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code schedgpu run}: a job where there is no Slurm. */
@Command(
    name = "run",
    sortOptions = false,
    description = {
      "Runs a command as a job: its device memory is reserved before it allocates it.",
      "Makes the region of this node if there is none."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "n:Exit code of the command; 128 + n if signal n ended it.",
      "1:The gate's --wait was over, or the job could not begin and --on-failure is refuse.",
      "2:Wrong usage.",
      "126:The command cannot be executed.",
      "127:There is no such command."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu run --mem 6G -- ./train --epochs 3",
      "  schedgpu run --mem 40%% --device 0,1 --priority high --wait 10m -- ./train",
      "  schedgpu run --mode ondemand -- ./phases",
      "  schedgpu run --mode gate --mem 6G -- ./static-binary"
    })
public final class RunCommand extends NodeCommand {
  private static final String RUN = "run";
  private static final String REFUSE = "refuse";
  private static final int NO_SUCH_FILE = 2;

  @Option(
      names = "--mem",
      paramLabel = "SIZE",
      description = "Budget per device: 6G, 512M, 40%%. Default: DefaultMem, or what was learned.")
  private String mem;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "peak: the budget is reserved as a whole; ondemand: as it is allocated; gate: before the"
              + " command starts, which needs no preload. Default: peak with a budget, else"
              + " ondemand.")
  private String mode;

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many of its processes use a device at once, 1 to 1024. Default: 1.")
  private int processes;

  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "low, normal, high or 0 to 100. Default: DefaultPriority.")
  private String priority;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "How long an allocation, or the gate, waits: 30s, forever. Default: Wait.")
  private String wait;

  @Option(
      names = "--overflow",
      paramLabel = "WHAT",
      description =
          "What an allocation beyond the budget does, in mode peak: fail, or wait for more memory."
              + " Default: Overflow.")
  private String overflow;

  @Option(
      names = "--device",
      paramLabel = "LIST",
      defaultValue = "0",
      split = ",",
      description = "Devices, by NVML index. Default: ${DEFAULT-VALUE}.")
  private List<Integer> devices = new ArrayList<>();

  @Option(
      names = "--on-failure",
      paramLabel = "WHAT",
      description = "If the job cannot begin: run (unscheduled) or refuse. Default: OnFailure.")
  private String onFailure;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      defaultValue = NodeFactsReader.DEFAULT_CONTEXT,
      description = "Memory of a CUDA context, for a region made now. Default: ${DEFAULT-VALUE}.")
  private String context;

  @Parameters(arity = "1..*", paramLabel = "CMD", description = "The command, after --.")
  private List<String> command = new ArrayList<>();

  private RunDecision decision;

  @Override
  public Integer call() throws InterruptedException {
    checkFailureWord();
    SlurmSurroundings.refuse(command.get(0));
    Optional<RunJob> job = begin();
    try (RunJob running = job.orElse(null)) {
      Optional<Map<String, String>> environment =
          running == null ? unscheduled() : passGate(running);
      if (environment.isEmpty()) {
        return ExitCode.FAILED;
      }
      int exitCode = execute(environment.get());
      if (running != null && conf().endHint() && !decision.isLearned()) {
        running.endHint().ifPresent(line -> err().println("schedgpu: " + line));
      }
      return exitCode;
    }
  }

  /** The environment of a command that is no job; empty if it shall not run then. */
  private Optional<Map<String, String>> unscheduled() {
    return refuses() ? Optional.empty() : Optional.of(System.getenv());
  }

  /** The environment of the job's command; empty, with the reason on stderr, if it cannot run. */
  private Optional<Map<String, String>> passGate(RunJob job) {
    try {
      return job.passGate() ? Optional.of(job.environment()) : Optional.empty();
    } catch (SchedGpuException problem) {
      if (isOfTheJob(problem)) {
        throw problem;
      }
      tell(problem);
      return unscheduled();
    }
  }

  /** Whether the job is wrong, not the node. */
  private static boolean isOfTheJob(SchedGpuException problem) {
    return switch (problem.code()) {
      case EINVAL, ETOOBIG, EWOULDBLOCK -> true;
      default -> false;
    };
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec().commandLine(), what);
  }

  private void checkFailureWord() {
    if (onFailure != null && !onFailure.equals(RUN) && !onFailure.equals(REFUSE)) {
      throw wrong("--on-failure=" + onFailure + ": must be run or refuse");
    }
  }

  private RunWish wish() {
    return new RunWish(
        Optional.ofNullable(mem),
        Optional.ofNullable(mode),
        processes,
        Optional.ofNullable(priority),
        Optional.ofNullable(wait),
        Optional.ofNullable(overflow),
        devices,
        Path.of(command.get(0)));
  }

  /** The job, or empty with the reason on stderr if this node cannot schedule it. */
  private Optional<RunJob> begin() {
    try {
      wish().options("", 0).check();
      RunJob job = RunJob.begin(runDir(), this::setup, this::decide, terms());
      tellLowered(job.spec().priority());
      tellLearned(job.spec());
      return Optional.of(job);
    } catch (RunOptions.WrongOptionException problem) {
      throw wrong(problem.getMessage());
    } catch (SchedGpuException problem) {
      if (isOfTheJob(problem)) {
        throw problem;
      }
      tell(problem);
    } catch (LibraryNotFoundException | AgentException | NvmlException problem) {
      tell(problem);
    }
    return Optional.empty();
  }

  private RunEnvironment.Terms terms() {
    return new RunEnvironment.Terms(
        preloadLibrary(), failureWord(), conf().frameworkEnvironment(), conf().managedPasses());
  }

  /** A command that runs behind a gate needs none. */
  private Optional<Path> preloadLibrary() {
    boolean gate = mode != null && Mode.of(mode).equals(Optional.of(Mode.GATE));
    return gate ? Optional.empty() : Optional.of(PreloadLibrary.require(conf()));
  }

  private void tell(RuntimeException problem) {
    String what = problem.getMessage().replaceFirst("^schedgpu: ", "").replace("\n", "; ");
    String then = refuses() ? "not run, as --on-failure is refuse" : "run unscheduled";
    err().println("schedgpu: " + what + ": " + command.get(0) + " is " + then);
  }

  private boolean refuses() {
    return failureWord().equals(REFUSE);
  }

  /** A schedgpu.conf that cannot be read does not decide. */
  private String failureWord() {
    if (onFailure != null) {
      return onFailure;
    }
    try {
      return conf().refuseOnFailure() ? REFUSE : RUN;
    } catch (AgentException | LibraryNotFoundException unreadable) {
      return RUN;
    }
  }

  private void setup() {
    RegionSetup wanted =
        RegionSetup.of(
            conf(),
            Optional.empty(),
            NodeFactsReader.nodeName(System.getenv()),
            NodeFactsReader.contextBytes(context));
    RegionUpdate.setUp(runDir(), wanted.setup());
  }

  private JobSpec decide(List<Device> there) {
    decision = new RunDecision(wish(), conf(), name -> LearnedBudget.of(runDir(), name));
    return decision.of(there);
  }

  /** By this command, or by an agent whose schedgpu.conf says less than the one read here. */
  private void tellLowered(int decided) {
    int wanted = decision.wantedPriority();
    if (decided < wanted) {
      err().println("schedgpu: priority " + wanted + " is lowered to MaxPriority " + decided);
    }
  }

  /** A budget that nobody asked for is told of, and what happens when it is too little. */
  private void tellLearned(JobSpec decided) {
    if (decision.isLearned()) {
      long bytes =
          decided.budgetBytes().values().stream().mapToLong(Long::longValue).max().orElse(0);
      err()
          .println(
              "schedgpu: no --mem: %s, as earlier runs of %s needed; for more it waits"
                  .formatted(Texts.size(bytes), JobSpec.keptName(decided.name())));
    }
  }

  private int execute(Map<String, String> environment) throws InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().clear();
    builder.environment().putAll(environment);
    try {
      return Signals.forward(builder::start);
    } catch (IOException problem) {
      return cannotStart(problem);
    }
  }

  private int cannotStart(IOException problem) {
    boolean missing = problem.getMessage().contains("error=" + NO_SUCH_FILE + ",");
    String what =
        missing
            ? ": there is no such command: check the path"
            : ": cannot be executed: check its mode";
    err().println("schedgpu: " + command.get(0) + what);
    return missing ? ExitCode.NOT_FOUND : ExitCode.CANNOT_EXECUTE;
  }
}
