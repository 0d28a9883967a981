package org.schedgpu.agent;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu status}: takes no lock and changes nothing. */
@Command(
    name = "status",
    description = {
      "Shows devices, jobs, and who waits for what, why, and about how long.",
      "Of other users' jobs only sums are shown, unless PrivateData=none, or to root."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:The region cannot be read, or holds numbers that cannot be right.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu status",
      "  schedgpu status --json | jq '.waiters[] | {job, place, why, estimate}'"
    })
final class StatusCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  @Override
  public Integer call() {
    Map<String, Object> arguments = StatusQuestion.arguments(json, Style.ofTerminal());
    Map<String, Object> status =
        see(
            "status",
            arguments,
            region ->
                StatusQuestion.answer(
                    region, runDir(), arguments, viewer(), StatusQuestion.remembered()));
    out().print(json ? JsonText.of(status) : status.get("text"));
    out().flush();
    return List.of().equals(status.get("damage")) ? ExitCode.OK : ExitCode.FAILED;
  }
}
