package org.schedgpu.agent.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.status.StatusQuestion;
import org.schedgpu.agent.text.Style;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code schedgpu status} where no agent answers: takes no lock and changes nothing. Where one
 * does, libschedgpu/run/status.c prints the answer, and Java is not started.
 */
@Command(
    name = "status",
    description = {
      "Shows devices, jobs and waiters: for what they wait, why, and about how long.",
      "Other users' jobs appear only as sums, unless PrivateData=none, or to root.",
      "Asks the agent; without an answer within a second, it reads the region."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:The region cannot be read, or contains impossible numbers.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu status",
      "  schedgpu status --json | jq '.waiters[] | {job, place, why, estimate}'"
    })
public final class StatusCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  @Override
  public Integer call() {
    Map<String, Object> arguments = StatusQuestion.arguments(json, Style.ofTerminal());
    return print(look(arguments));
  }

  private int print(PrintedAnswer status) {
    try {
      status.text().writeTo(out());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    out().flush();
    return status.sound() ? ExitCode.OK : ExitCode.FAILED;
  }

  private PrintedAnswer look(Map<String, Object> arguments) {
    return see(
        region ->
            StatusQuestion.answer(
                region,
                runDir(),
                arguments,
                viewer(),
                StatusQuestion.remembered(),
                QueryClient.listens(runDir())),
        () -> QueryClient.askPrinted(runDir(), "status", arguments));
  }
}
