package org.schedgpu.gpucheck;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  ./run", "  ./run --budget 3m --only starts,books --output /tmp/result"})
public final class Suite implements Callable<Integer> {
  private static final Pattern TIME = Pattern.compile("([1-9][0-9]{0,4})([smh]?)");

  @Option(
      names = "--budget",
      paramLabel = "TIME",
      defaultValue = "8m",
      description = "How long it may take: 90s, 8m. Default: ${DEFAULT-VALUE}.")
  private String budget;

  @Option(
      names = "--only",
      paramLabel = "LIST",
      split = ",",
      description =
          "Sections to run: starts, books, promise, cost, death, workload, sharing, lanes."
              + " Default: all.")
  private List<String> only = new ArrayList<>();

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
      description = "Folder for result.json, result.txt and result.svg. Default: ${DEFAULT-VALUE}.")
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

  private static Map<String, Section> sections() {
    Map<String, Section> sections = new LinkedHashMap<>();
    for (Section section :
        List.of(
            new StartCheck(),
            new AccountingCheck(),
            new PromiseCheck(),
            new CostCheck(),
            new KillCheck(),
            new WorkloadCheck(),
            new SharingCheck(),
            new LaneCheck())) {
      sections.put(section.name(), section);
    }
    return sections;
  }

  @Override
  public Integer call() throws InterruptedException {
    Duration time = time();
    List<Section> wanted = wanted();
    Bundle bundle = new Bundle(Path.of(System.getProperty("check.bundle", ".")));
    try {
      bundle.require();
      Nvml.Attempt attempt = Nvml.open();
      try (Nvml nvml =
          attempt
              .nvml()
              .orElseThrow(
                  () -> new CheckException("there is no NVIDIA driver: " + attempt.reason()))) {
        Run.Result result =
            new Run(bundle, nvml, device(nvml), brief, runFolder, out).of(wanted, time);
        write(result);
        return result.failed() ? 1 : 0;
      }
    } catch (CheckException | Nvml.NvmlException problem) {
      spec.commandLine().getErr().println("gpu-check: " + problem.getMessage());
      return 1;
    }
  }

  private Duration time() {
    Matcher matcher = TIME.matcher(budget);
    if (!matcher.matches()) {
      throw wrong("--budget", budget, "a time as 90s or 8m");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofSeconds(number);
    };
  }

  private List<Section> wanted() {
    Map<String, Section> sections = sections();
    for (String name : only) {
      if (!sections.containsKey(name)) {
        throw wrong("--only", name, "some of " + String.join(", ", sections.keySet()));
      }
    }
    return sections.values().stream()
        .filter(section -> only.isEmpty() || only.contains(section.name()))
        .toList();
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

  private void write(Run.Result result) {
    StringBuilder text = new StringBuilder(Report.head(result.machine(), result.frameworks()));
    text.append("\n\n");
    result.findings().forEach(finding -> text.append(Report.lines(finding)));
    text.append('\n').append(Report.end(result)).append('\n');
    try {
      Files.createDirectories(output);
      Files.writeString(output.resolve("result.json"), ResultJson.of(result, Instant.now()));
      Files.writeString(output.resolve("result.txt"), text);
      Files.writeString(output.resolve("result.svg"), Picture.of(result));
    } catch (IOException e) {
      throw new CheckException("cannot write into " + output, e);
    }
    out.println();
    out.println(Report.end(result));
    out.println("Written: " + output + "/{result.json,result.txt,result.svg}");
  }
}
