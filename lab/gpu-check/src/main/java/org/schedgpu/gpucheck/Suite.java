package org.schedgpu.gpucheck;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.jna.Nvml;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code gpu-check/run}. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Checks what holds on this machine's GPU, the most important first.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Nothing failed.",
      "1:A check failed, or the suite could not run.",
      "2:Wrong usage.",
      "3:Nothing failed, but the time was too short for something."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./run",
      "  ./run --budget 3m --only starts,books --output /tmp/result",
      "  ./run --first --output /tmp/result",
      "  ./run --second /tmp/result --output /tmp/second"
    })
public final class Suite implements Callable<Integer> {
  private static final int NOT_ALL = 3;
  private static final Pattern TIME =
      Pattern.compile("(?:(\\d{1,2})h)?(?:(\\d{1,4})m)?(?:(\\d{1,5})s?)?");

  @Option(
      names = "--budget",
      paramLabel = "TIME",
      description =
          "How long it may take: 90s, 7m30s. Default: 8m; 7m30s with --first, 4m with --second.")
  private String budget;

  @Option(
      names = "--only",
      paramLabel = "LIST",
      split = ",",
      description =
          "Sections to run: starts, pytorch, books, promise, growth, cost, death, workload,"
              + " sharing, lanes. Default: all.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--first",
      description = "On a GPU that nobody has tried: what is decided in its first minutes.")
  private boolean first;

  @Option(
      names = "--second",
      paramLabel = "DIR",
      description =
          "After --first, whose results are in DIR: again what failed, with all that programs"
              + " say kept in errors.txt; then what was not done. If nothing failed: twelve"
              + " trainings of 3 times the device, growing budgets, MPS, the paper's workload.")
  private Path second;

  @Option(
      names = "--brief",
      description = "As few rounds as possible: shows that everything runs; figures are rough.")
  private boolean brief;

  @Option(
      names = "--device",
      paramLabel = "N",
      defaultValue = "0",
      description = "Device, by NVML index. Default: ${DEFAULT-VALUE}.")
  private int index;

  @Option(
      names = "--output",
      paramLabel = "DIR",
      defaultValue = "result",
      description =
          "Folder for result.json, result.txt, result.svg and errors.txt, written after each check."
              + " Default: ${DEFAULT-VALUE}.")
  private Path output;

  @Option(
      names = "--run-dir",
      paramLabel = "DIR",
      defaultValue = "/run",
      description = "Folder in memory where regions are made. Default: ${DEFAULT-VALUE}.")
  private Path runFolder;

  @Spec private CommandSpec spec;

  private final PrintStream out;

  Suite(PrintStream out) {
    this.out = out;
  }

  /**
   * The command.
   *
   * @param arguments see {@code --help}. The system property {@code check.bundle} names the folder
   *     of the unpacked bundle.
   */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Suite(System.out)).execute(arguments));
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      Plan plan = plan();
      Duration time = budget == null ? plan.budget() : time();
      Bundle bundle = new Bundle(Path.of(System.getProperty("check.bundle", ".")));
      bundle.require();
      Nvml.Attempt attempt = Nvml.open();
      try (Nvml nvml =
          attempt
              .nvml()
              .orElseThrow(
                  () -> new CheckException("there is no NVIDIA driver: " + attempt.reason()))) {
        Run.Options options = new Run.Options(time, brief, runFolder);
        ResultFolder results = new ResultFolder(output, second != null);
        Run.Result result = new Run(bundle, nvml, device(nvml), options, results, out).of(plan);
        out.println();
        out.println(Report.end(result));
        out.println("Written: " + output + "/{result.json,result.txt,result.svg}");
        return exitCode(result);
      }
    } catch (CheckException | Nvml.NvmlException problem) {
      spec.commandLine().getErr().println("gpu-check: " + problem.getMessage());
      return 1;
    }
  }

  static int exitCode(Run.Result result) {
    return result.has(Outcome.FAILED) ? 1 : result.has(Outcome.NOT_DONE) ? NOT_ALL : 0;
  }

  private Duration time() {
    Matcher matcher = TIME.matcher(budget);
    if (budget.isEmpty() || !matcher.matches()) {
      throw wrong("--budget", budget, "a time as 90s, 8m or 7m30s");
    }
    return Duration.ofHours(number(matcher.group(1)))
        .plusMinutes(number(matcher.group(2)))
        .plusSeconds(number(matcher.group(3)));
  }

  private static long number(String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }

  private Plan plan() {
    if (first && second != null) {
      throw wrong("--second", second.toString(), "without --first");
    }
    Plan plan =
        first ? Plan.first() : second != null ? Plan.second(Earlier.read(second)) : Plan.all();
    for (String name : only) {
      if (!plan.names().contains(name)) {
        throw wrong("--only", name, "some of " + String.join(", ", plan.names()));
      }
    }
    return plan.only(only);
  }

  private ParameterException wrong(String option, String value, String allowed) {
    return new ParameterException(
        spec.commandLine(), "%s=%s: must be %s".formatted(option, value, allowed));
  }

  private Nvml.Device device(Nvml nvml) {
    return nvml.devices().stream()
        .filter(device -> device.index() == index)
        .findFirst()
        .orElseThrow(() -> wrong("--device", Integer.toString(index), "a device that NVML knows"));
  }
}
