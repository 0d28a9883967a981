package org.schedgpu.agent.command;

import java.util.LinkedHashMap;
import java.util.Map;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.ReapResult;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu reap}: does at once what every process does from time to time. */
@Command(
    name = "reap",
    description = "Frees what dead processes held, and serves the waiters (root).",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done, also if no process was dead.",
      "1:The region cannot be used, or is another user's.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExample:%n",
    footer = "  schedgpu reap --json")
public final class ReapCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON: exact bytes.")
  private boolean json;

  @Override
  public Integer call() {
    ReapResult reaped;
    try (SchedGpu region = openRegion()) {
      requireOwner(region, "reaps by hand");
      reaped = region.reap();
    }
    out().print(json ? json(reaped) : text(reaped));
    out().flush();
    return ExitCode.OK;
  }

  private static String json(ReapResult reaped) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("processes", reaped.clients());
    facts.put("jobs", reaped.jobs());
    facts.put("bytes", reaped.bytes());
    facts.put("granted", reaped.granted());
    return JsonText.of(facts);
  }

  static String text(ReapResult reaped) {
    return Texts.count(reaped.clients(), "dead process", "dead processes")
        + " removed, "
        + Texts.count(reaped.jobs(), "job", "jobs")
        + " ended, "
        + Texts.gib(reaped.bytes())
        + " GiB given back, "
        + Texts.count(reaped.granted(), "request", "requests")
        + " served\n";
  }
}
