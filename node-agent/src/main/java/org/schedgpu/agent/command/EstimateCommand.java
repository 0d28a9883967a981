package org.schedgpu.agent.command;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.schedgpu.agent.estimate.EstimateJar;
import org.schedgpu.agent.estimate.EstimateText;
import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.jna.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code schedgpu estimate}: estimates memory from the sources of a program. */
@Command(
    name = "estimate",
    description = {
      "Shows how much memory a program allocates, from its CUDA sources.",
      "",
      "Each call that allocates device memory is shown with its size, or with the",
      "reason why the size is unknown before the program runs. The option is that",
      "of the sum, with 10 %% (256 MiB at least) to spare, in steps of 256 MiB.",
      "Libraries such as cuBLAS allocate, too: that is not seen."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The sizes of all calls are known.",
      "1:A file cannot be read or parsed.",
      "2:Wrong usage.",
      "4:The sizes of some calls are unknown."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu estimate train.cu",
      "  schedgpu estimate train.cu kernels.cu -D n=4096 -I include",
      "  sbatch --gres=gpu:1 $(schedgpu estimate train.cu --option) train.sh"
    })
public final class EstimateCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "CUDA sources.")
  private List<String> files;

  @Option(
      names = "-D",
      paramLabel = "NAME=VALUE",
      mapFallbackValue = "1",
      description = "A macro, or the value of the variables of that name.")
  private Map<String, String> defined = new LinkedHashMap<>();

  @Option(
      names = "-U",
      paramLabel = "NAME",
      description = "A macro that is not defined, where the sources do not say it.")
  private List<String> undefined = List.of();

  @Option(names = "-I", paramLabel = "DIR", description = "A folder of included files.")
  private List<String> folders = List.of();

  @Option(names = "--json", description = "Prints JSON: exact bytes.")
  private boolean json;

  @Option(
      names = "--option",
      description = "Prints the option alone, if the sizes of all calls are known.")
  private boolean option;

  @Override
  public Integer call() {
    Map<String, Object> answer =
        EstimateJar.ask(
            Map.of("files", files, "folders", folders, "defined", defined, "undefined", undefined));
    List<?> problems = (List<?>) answer.get("problems");
    boolean isWhole = Long.valueOf(0).equals(answer.get("unknown")) && problems.isEmpty();
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    problems.forEach(line -> err.println("schedgpu: " + Printable.of(line.toString())));
    if (json) {
      out.print(JsonText.of(withOption(answer, isWhole)));
    } else if (!option) {
      out.print(
          problems.size() < files.size() ? EstimateText.of(answer, EstimateCommand::option) : "");
    } else if (isWhole) {
      out.println(option(((Number) answer.get("knownBytes")).longValue()));
    } else if (problems.isEmpty()) {
      err.println("schedgpu: the sizes of some calls are unknown: see them without --option");
    }
    out.flush();
    return isWhole ? ExitCode.OK : problems.isEmpty() ? ExitCode.PARTLY_UNKNOWN : ExitCode.FAILED;
  }

  private static Map<String, Object> withOption(Map<String, Object> answer, boolean isWhole) {
    Map<String, Object> more = new LinkedHashMap<>(answer);
    more.put("option", isWhole ? option(((Number) answer.get("knownBytes")).longValue()) : null);
    return more;
  }

  private static String option(long bytes) {
    return "--schedgpu-mem=" + Suggestion.typed(Suggestion.budgetFor(bytes));
  }
}
