package org.schedgpu.agent;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.schedgpu.agent.command.DevicesCommand;
import org.schedgpu.agent.command.DoctorCommand;
import org.schedgpu.agent.command.EndCommand;
import org.schedgpu.agent.command.EstimateCommand;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.command.FactsCommand;
import org.schedgpu.agent.command.HistoryCommand;
import org.schedgpu.agent.command.JobsCommand;
import org.schedgpu.agent.command.PolicyCommand;
import org.schedgpu.agent.command.ReapCommand;
import org.schedgpu.agent.command.ReportCommand;
import org.schedgpu.agent.command.SchedgpuCommand;
import org.schedgpu.agent.command.SetupCommand;
import org.schedgpu.agent.command.StatusCommand;
import org.schedgpu.agent.command.SuggestCommand;
import org.schedgpu.agent.command.TopCommand;
import org.schedgpu.agent.command.WatchCommand;
import org.schedgpu.agent.container.ContainerOptionsCommand;
import org.schedgpu.agent.log.AgentLog;
import org.schedgpu.agent.log.LogFormat;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.run.RunCommand;
import org.schedgpu.gres.command.GresCommand;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.Printable;
import org.schedgpu.jna.SchedGpuException;
import org.schedgpu.simulator.command.SimulateCommand;
import org.schedgpu.simulator.problem.SimulatorException;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MaxValuesExceededException;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The table of commands, the messages of failures, and the exit codes. */
final class Commands {
  /** In the order of the help. */
  private static final List<String> NAMES =
      List.of(
          "status",
          "top",
          "jobs",
          "history",
          "run",
          "setup",
          "agent",
          "reap",
          "end",
          "watch",
          "policy",
          "report",
          "suggest",
          "simulate",
          "estimate",
          "container-options",
          "doctor",
          "gres",
          "completion");

  private Commands() {}

  /**
   * The command line for some arguments. Only commands that they can mean are set up, because each
   * costs time.
   */
  static CommandLine commandLine(String... args) {
    CommandLine root = new CommandLine(new SchedgpuCommand());
    wanted(args).forEach(name -> root.addSubcommand(name, command(name)));
    root.addSubcommand("help", new HelpCommand());
    return root.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
        .setParameterExceptionHandler(usage())
        .setExecutionExceptionHandler(failure());
  }

  private static List<String> wanted(String... args) {
    String first = args.length > 0 ? args[0] : "";
    if (NAMES.contains(first)) {
      return List.of(first);
    }
    if (args.length == 1 && List.of("-V", "--version").contains(first)) {
      return List.of();
    }
    boolean isBeforeCommand =
        Stream.of("--conf", "--config", "--run-dir").anyMatch(first::startsWith);
    List<String> named = NAMES.stream().filter(List.of(args)::contains).toList();
    return isBeforeCommand && !named.isEmpty() ? named : NAMES;
  }

  /** No table of objects or constructors: Java would load the classes of all commands. */
  private static Object command(String name) {
    return switch (name) {
      case "status" -> new StatusCommand();
      case "top" -> new TopCommand();
      case "jobs" -> new JobsCommand();
      case "history" -> new HistoryCommand();
      case "run" -> RunCommand.commandLine();
      case "setup" -> new SetupCommand();
      case "agent" -> new AgentCommand();
      case "reap" -> new ReapCommand();
      case "end" -> new EndCommand();
      case "watch" -> new WatchCommand();
      case "policy" -> new PolicyCommand();
      case "report" -> new ReportCommand();
      case "suggest" -> new SuggestCommand();
      case "simulate" -> new SimulateCommand();
      case "estimate" -> new EstimateCommand();
      case "container-options" -> new ContainerOptionsCommand();
      case "doctor" -> new DoctorCommand();
      case "gres" -> gres();
      case "completion" -> new CompletionCommand();
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static CommandLine gres() {
    return new CommandLine(new GresCommand())
        .addSubcommand("facts", new FactsCommand())
        .addSubcommand("devices", new DevicesCommand())
        .addSubcommand("help", new HelpCommand());
  }

  private static IParameterExceptionHandler usage() {
    return (problem, args) -> {
      CommandLine command = problem.getCommandLine();
      String name = command.getCommandSpec().qualifiedName();
      command.getErr().println(name + ": " + message(problem, args) + ": see " + name + " --help");
      return ExitCode.USAGE;
    };
  }

  private static String message(ParameterException problem, String... args) {
    boolean repeated =
        problem instanceof MaxValuesExceededException
            || problem instanceof OverwrittenOptionException;
    if (repeated) {
      return repeatedOption(args).orElse("an option") + " is given more than once: give it once";
    }
    List<String> near =
        problem instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    return firstLine(problem)
        + (near.isEmpty() ? "" : ", did you mean " + String.join(" or ", near) + "?");
  }

  /** The first one; arguments after {@code --} belong to the command. */
  private static Optional<String> repeatedOption(String... args) {
    Set<String> given = new HashSet<>();
    return Stream.of(args)
        .takeWhile(arg -> !arg.equals("--"))
        .filter(arg -> arg.startsWith("-"))
        .map(arg -> arg.split("=", 2)[0])
        .filter(name -> !given.add(name))
        .findFirst();
  }

  private static String firstLine(ParameterException problem) {
    return problem.getMessage().lines().findFirst().orElse("wrong usage");
  }

  private static IExecutionExceptionHandler failure() {
    return (problem, command, result) -> {
      if (!isExpected(problem)) {
        throw problem;
      }
      String priority = AgentLog.isJournal(System.getenv()) ? LogFormat.ERROR : "";
      problem
          .getMessage()
          .lines()
          .map(line -> line.startsWith("schedgpu: ") ? line : "schedgpu: " + line)
          .forEach(line -> command.getErr().println(priority + Printable.of(line)));
      return exitCode(problem);
    };
  }

  private static boolean isExpected(Exception problem) {
    return problem instanceof SchedGpuException
        || problem instanceof LibraryNotFoundException
        || problem instanceof AgentException
        || problem instanceof NvmlException
        || problem instanceof GresException
        || problem instanceof SimulatorException;
  }

  private static int exitCode(Exception problem) {
    if (problem instanceof AgentCommand.WrongConfiguration) {
      return ExitCode.CONFIGURATION;
    }
    return problem instanceof SchedGpuException failed && failed.code() == ErrorCode.ENOREGION
        ? ExitCode.NO_REGION
        : ExitCode.FAILED;
  }
}
