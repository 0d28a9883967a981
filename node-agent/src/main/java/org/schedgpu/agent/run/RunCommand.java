package org.schedgpu.agent.run;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.agent.command.NodeCommand;
import org.schedgpu.agent.setup.NodeFactsReader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The options of {@code schedgpu run}, for its help and for completion. A program of libschedgpu
 * (libschedgpu/run) does the work, because each start of a job waits for it. The options of the job
 * are in options.tsv, which build-support/option-pages writes.
 */
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
      "  schedgpu run --mode gate --mem 6G -- ./static-binary",
      "  schedgpu run --lane=srtf --mem 6G --persistent 1G --length 2h -- ./train",
      "  schedgpu run --share 2 --mem 6G -- ./train"
    })
@SuppressWarnings("UnusedVariable") // only the help reads these fields
public final class RunCommand extends NodeCommand {
  /** In the help, the options of the job come behind those of all commands, before the others. */
  private static final int OF_JOB = 0;

  private static final int OTHER = 1;

  @Option(
      names = "--device",
      order = OTHER,
      paramLabel = "LIST",
      defaultValue = "0",
      split = ",",
      description = "Devices, by NVML index. Default: ${DEFAULT-VALUE}.")
  private List<Integer> devices = new ArrayList<>();

  @Option(
      names = "--on-failure",
      order = OTHER,
      paramLabel = "WHAT",
      description = "If the job cannot begin: run (unscheduled) or refuse. Default: OnFailure.")
  private String onFailure;

  @Option(
      names = "--context",
      order = OTHER,
      paramLabel = "SIZE",
      defaultValue = NodeFactsReader.DEFAULT_CONTEXT,
      description = "Memory of a CUDA context, for a region made now. Default: ${DEFAULT-VALUE}.")
  private String context;

  @Parameters(arity = "1..*", paramLabel = "CMD", description = "The command, after --.")
  private List<String> command = new ArrayList<>();

  /**
   * The command, with the options of a job, which are those of libschedgpu's table. Options after
   * the name of the command that is run belong to that command.
   */
  public static CommandLine commandLine() {
    CommandLine run = new CommandLine(new RunCommand()).setStopAtPositional(true);
    options()
        .lines()
        .map(row -> option(row.split("\t", -1)))
        .forEach(run.getCommandSpec()::addOption);
    return run;
  }

  /** A row of options.tsv: name, name of the value, value if none is given, help. */
  private static OptionSpec option(String[] row) {
    boolean alone = !row[2].isEmpty();
    return OptionSpec.builder("--" + row[0])
        .order(OF_JOB)
        .type(String.class)
        .paramLabel(row[1])
        .arity(alone ? "0..1" : "1")
        .fallbackValue(row[2])
        .description(row[3].replace("%", "%%"))
        .build();
  }

  private static String options() {
    try (InputStream file = RunCommand.class.getResourceAsStream("options.tsv")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /**
   * Not reached: the script schedgpu starts the program itself, and this class only for its help.
   */
  @Override
  public Integer call() {
    throw new ParameterException(
        spec().commandLine(), "it is a program of its own: start it with the command schedgpu");
  }
}
