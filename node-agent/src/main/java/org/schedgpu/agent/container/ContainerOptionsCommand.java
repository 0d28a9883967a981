package org.schedgpu.agent.container;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.schedgpu.agent.command.ExitCode;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.JsonText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code schedgpu container-options}: reads the environment alone; for cdi schedgpu.conf alone. */
@Command(
    name = "container-options",
    description = {
      "Prints what a container runtime needs for this job.",
      "Runtimes: podman, docker, charliecloud, apptainer.",
      "cdi: prints a file of the Container Device Interface for this node."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Printed; in mode gate a container needs nothing.",
      "1:This is not inside a job that is scheduled; cdi: there is no library.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  podman run $(schedgpu container-options podman) IMAGE ./train",
      "  ch-run $(schedgpu container-options charliecloud) IMAGE -- ./train",
      "  schedgpu container-options cdi > /etc/cdi/schedgpu.json"
    })
public final class ContainerOptionsCommand implements Callable<Integer> {
  private static final String CDI = "cdi";

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Option(names = "--json", description = "Prints a JSON list, an entry for each argument.")
  private boolean json;

  @Parameters(paramLabel = "RUNTIME", description = "Which runtime takes the arguments.")
  private String runtime;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(text());
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }

  private String text() {
    if (runtime.equals(CDI)) {
      return JsonText.of(CdiSpecification.of(Conf.read(Optional.empty())));
    }
    List<String> arguments = arguments(runtime(), System.getenv());
    return json ? JsonText.of(arguments) : String.join(" ", arguments) + "\n";
  }

  private ContainerRuntime runtime() {
    return Arrays.stream(ContainerRuntime.values())
        .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(runtime))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    runtime + ": must be podman, docker, charliecloud, apptainer or cdi"));
  }

  /**
   * The arguments for the job of this environment.
   *
   * @throws AgentException outside of a job
   */
  static List<String> arguments(ContainerRuntime runtime, Map<String, String> environment) {
    return JobNeeds.of(environment).map(runtime::arguments).orElse(List.of());
  }
}
