package org.schedgpu.agent.command;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.schedgpu.agent.history.HistoryQuestion;
import org.schedgpu.agent.history.UsageQuestion;
import org.schedgpu.agent.jobs.JobsText;
import org.schedgpu.agent.jobs.UsageText;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.agent.text.Times;
import org.schedgpu.jna.Posix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu history}: the jobs of this node that the agent remembers. */
@Command(
    name = "history",
    description = {
      "Shows what jobs of this node asked for and used, newest first.",
      "",
      "Sizes are GiB: REQUEST is the budget, PEAK the most that the job's programs had",
      "allocated at once. WAITED is how long any of them waited, HELD how long the job held",
      "some. ENDED says running, or lost if no end was recorded: the node went down.",
      "A list below names jobs whose requests were refused.",
      "Users see their own jobs; root, and everybody with PrivateData=none, all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown, perhaps an empty list.",
      "1:No agent answers, or the history cannot be read.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu history --since 2h",
      "  schedgpu history --user alice --since 2026-11-01 --limit 1000",
      "  schedgpu history --job 4711 --json",
      "  schedgpu history --by account --since 30d"
    })
public final class HistoryCommand extends NodeCommand {
  private static final int ROOT = 0;

  /** Of one answer. */
  private static final int PAGE = 500;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description =
          "Jobs that still ran at that time or later: an age (2h, 30d), or a day or time"
              + " (2026-11-01, 2026-11-01T08:30) of this node.")
  private String since;

  @Option(names = "--user", paramLabel = "NAME", description = "Jobs of this user only.")
  private String user;

  @Option(
      names = "--job",
      paramLabel = "ID",
      description = "This job only: a job ID of Slurm, or run:ID.")
  private String job;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "20",
      description = "At most so many. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(
      names = "--by",
      paramLabel = "WHOM",
      description =
          "user or account: sums of the jobs of each, in GiB times hours: RESERVED for them, and"
              + " USED by their programs. TURN h are the hours for which they had turns of lanes.")
  private String by;

  @Option(names = "--json", description = "Prints JSON: exact bytes and nanoseconds.")
  private boolean json;

  @Override
  public Integer call() {
    return by == null ? jobs() : usage();
  }

  private int usage() {
    if (!by.equals("user") && !by.equals("account")) {
      throw wrong("--by " + by + ": must be user or account");
    }
    if (job != null) {
      throw wrong("--by " + by + " sums all jobs: leave out --job");
    }
    Map<String, Object> arguments = arguments();
    arguments.put("by", by);
    Map<String, Object> answer = ask("usage", arguments);
    out().print(json ? JsonText.of(answer) : usageText(new JsonFields(answer)));
    out().flush();
    return ExitCode.OK;
  }

  private int jobs() {
    Map<String, Object> arguments = arguments();
    List<Object> jobs = new ArrayList<>();
    Map<String, Object> answer;
    do {
      arguments.put("limit", Math.min(PAGE, limit - jobs.size()));
      answer = ask("history", arguments);
      jobs.addAll((List<?>) answer.get("jobs"));
      arguments.put("beforeRow", answer.get("next"));
    } while (answer.get("next") != null && jobs.size() < limit);
    answer.put("jobs", jobs);
    answer.remove("next");
    out().print(json ? JsonText.of(answer) : text(new JsonFields(answer)));
    out().flush();
    return ExitCode.OK;
  }

  private Map<String, Object> arguments() {
    if (limit < 1) {
      throw wrong("--limit " + limit + ": must be at least 1");
    }
    Map<String, Object> arguments = new LinkedHashMap<>();
    if (since != null) {
      OptionalLong ns = Times.pastNs(since, System.currentTimeMillis(), ZoneId.systemDefault());
      if (ns.isEmpty()) {
        throw wrong("--since " + since + ": is no time: write 2h, 30d, 2026-11-01");
      }
      arguments.put("sinceNs", ns.getAsLong());
    }
    if (user != null) {
      arguments.put("user", user);
    }
    if (job != null) {
      putJob(arguments);
    }
    return arguments;
  }

  private void putJob(Map<String, Object> arguments) {
    if (!job.matches("((slurm|run):)?[0-9]{1,18}")) {
      throw wrong("--job " + job + ": is no job: write 4711, or run:4711");
    }
    int colon = job.indexOf(':');
    arguments.put("kind", colon < 0 ? "slurm" : job.substring(0, colon));
    arguments.put("id", Long.parseLong(job.substring(colon + 1)));
  }

  private ParameterException wrong(String what) {
    return new ParameterException(spec().commandLine(), what);
  }

  /** Root may read the file directly, which also works without an agent. */
  private Map<String, Object> ask(String name, Map<String, Object> arguments) {
    Optional<Map<String, Object>> answer = QueryClient.ask(runDir(), name, arguments);
    if (answer.isPresent()) {
      return answer.get();
    }
    if (Posix.effectiveUid() != ROOT) {
      throw new AgentException(
          "%s: no agent answers, and only root may read what it remembers: start schedgpu-agent"
              .formatted(runDir()));
    }
    Supplier<Path> file = () -> conf().historyFile();
    return by == null
        ? new HistoryQuestion(file).answer(arguments, Principal.root())
        : new UsageQuestion(file).answer(arguments, Principal.root());
  }

  private String text(JsonFields answer) {
    List<JsonFields> jobs = answer.list("jobs");
    StringBuilder text = new StringBuilder();
    if (jobs.isEmpty()) {
      text.append(none());
    } else {
      text.append(JobsText.then(jobs, Style.ofTerminal(), ZoneId.systemDefault()));
    }
    return text.append(missed(answer)).toString();
  }

  private String usageText(JsonFields answer) {
    String text =
        answer.list("usage").isEmpty() ? none() : UsageText.of(answer, Style.ofTerminal());
    return text + missed(answer);
  }

  private String none() {
    boolean narrowed = since != null || user != null || job != null;
    return (narrowed ? "No such job is remembered" : "No job is remembered yet")
        + (viewer().seesAll() ? ".\n" : "; jobs of others are not shown.\n");
  }

  private static String missed(JsonFields answer) {
    long missed = answer.number("missedJobs");
    return missed == 0
        ? ""
        : "\n%s ended while no agent ran, and are not remembered.\n"
            .formatted(Texts.count(missed, "job", "jobs"));
  }
}
