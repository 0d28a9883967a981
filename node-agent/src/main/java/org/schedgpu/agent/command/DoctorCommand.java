package org.schedgpu.agent.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.doctor.Doctor;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu doctor}: changes nothing. */
@Command(
    name = "doctor",
    description = "Checks what this node needs, and says what to do about each problem.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:All is well.", "1:Something is missing or wrong.", "2:Wrong usage."},
    footerHeading = "%nExamples:%n",
    footer = {"  schedgpu doctor", "  schedgpu doctor --json | jq '.[] | select(.ok | not)'"})
public final class DoctorCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Override
  public Integer call() {
    List<Finding> findings = Doctor.examine(this::conf, this::runDir, System.getenv());
    out().print(json ? json(findings) : text(findings, Style.ofTerminal()));
    out().flush();
    return findings.stream().allMatch(Finding::ok) ? ExitCode.OK : ExitCode.FAILED;
  }

  static String json(List<Finding> findings) {
    return JsonText.of(
        findings.stream()
            .map(
                finding -> {
                  Map<String, Object> entry = new LinkedHashMap<>();
                  entry.put("check", finding.what());
                  entry.put("ok", finding.ok());
                  entry.put("text", finding.text());
                  entry.put("todo", finding.ok() ? null : finding.todo());
                  return entry;
                })
            .toList());
  }

  static String text(List<Finding> findings, Style style) {
    StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      String state = finding.ok() ? "ok   " : style.red("WRONG");
      text.append(state)
          .append(" %-8s ".formatted(finding.what()))
          .append(Printable.of(finding.text()))
          .append('\n');
      if (!finding.ok()) {
        text.append("               -> ").append(Printable.of(finding.todo())).append('\n');
      }
    }
    long wrong = findings.stream().filter(finding -> !finding.ok()).count();
    text.append(
        wrong == 0 ? "All is well.\n" : Texts.count(wrong, "thing is", "things are") + " wrong.\n");
    return text.toString();
  }
}
