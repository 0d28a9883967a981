package org.schedgpu.agent.run;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.agent.command.NodeCommand;
import org.schedgpu.agent.setup.NodeFactsReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The options of {@code schedgpu run}, for its help and for completion. A program of libschedgpu
 * (libschedgpu/run) does the work, because each start of a job waits for it.
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
      names = "--lane",
      arity = "0..1",
      fallbackValue = "fair",
      paramLabel = "POLICY",
      description =
          "It takes turns with others for device memory, iteration by iteration: fair, pack, srtf"
              + " or fifo. Only with --mem, one device and mode peak. Default with --lane: fair.")
  private String lane;

  @Option(
      names = "--persistent",
      paramLabel = "SIZE",
      description =
          "With --lane: the part of the budget that it keeps between iterations. Default: what earlier"
              + " runs of its name kept, or 0.")
  private String persistent;

  @Option(
      names = "--length",
      paramLabel = "TIME",
      description = "With --lane: how long it runs alone, for srtf: 30m, 2h. Default: unknown.")
  private String length;

  @Option(
      names = "--share",
      paramLabel = "WEIGHT",
      description =
          "It computes in turns with others, for times that are proportional to the weights: 1 to"
              + " 1000. Only with --mem, one device and mode peak. With --lane: its weight there.")
  private String share;

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

  /**
   * Not reached: the script schedgpu starts the program itself, and this class only for its help.
   */
  @Override
  public Integer call() {
    throw new ParameterException(
        spec().commandLine(), "it is a program of its own: start it with the command schedgpu");
  }
}
