package org.schedgpu.agent;

import java.util.concurrent.Callable;
import org.schedgpu.agent.command.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code schedgpu completion}. */
@Command(
    name = "completion",
    description = "Prints the completion of this command for bash and zsh.",
    footerHeading = "%nExample:%n",
    footer = "  schedgpu completion > /etc/bash_completion.d/schedgpu")
final class CompletionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("schedgpu", Main.commandLine()));
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }
}
