package org.schedgpu.agent.command;

import java.util.List;
import java.util.Map;
import org.schedgpu.agent.jobs.JobsQuestion;
import org.schedgpu.agent.jobs.JobsText;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code schedgpu jobs}: the present jobs, one line each. */
@Command(
    name = "jobs",
    description = {
      "Shows the jobs that run and wait on this node: what they asked for and used.",
      "",
      "Sizes are GiB: REQUEST is the budget, IN USE what the job's programs allocated and",
      "have now, PEAK the most of that; CUDA contexts are in neither. WAITED is how long",
      "any of them waited for memory, HELD how long the job has held some. A list names",
      "jobs with refused requests",
      "below. Of other users' jobs it shows only the number, unless PrivateData=none,",
      "or to root."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:The region cannot be read, or contains impossible numbers.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  schedgpu jobs", "  schedgpu jobs --json | jq '.jobs[] | {job, state, waitedNs}'"})
public final class JobsCommand extends NodeCommand {
  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  @Override
  public Integer call() {
    Map<String, Object> answer =
        see("jobs", Map.of(), region -> JobsQuestion.answer(region, viewer(), runDir()));
    out().print(json ? JsonText.of(answer) : text(new JsonFields(answer)));
    out().flush();
    return List.of().equals(answer.get("damage")) ? ExitCode.OK : ExitCode.FAILED;
  }

  private static String text(JsonFields answer) {
    int jobs = answer.list("jobs").size();
    long hidden = answer.number("hiddenJobs");
    String others =
        hidden == 0
            ? ""
            : Texts.count(hidden, "job", "jobs") + " of other users (PrivateData=jobs)";
    if (jobs == 0) {
      return hidden == 0
          ? "No job on this node.\n"
          : "No job of yours on this node, but " + others + ".\n";
    }
    String list = JobsText.now(answer, Style.ofTerminal());
    return hidden == 0 ? list : list + "\nNot shown: " + others + ".\n";
  }
}
