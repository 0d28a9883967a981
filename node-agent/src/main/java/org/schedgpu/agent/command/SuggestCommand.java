package org.schedgpu.agent.command;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.suggest.NodeSizes;
import org.schedgpu.agent.suggest.SuggestQuestion;
import org.schedgpu.agent.suggest.SuggestText;
import org.schedgpu.agent.suggest.Suggestion;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.Posix;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code schedgpu suggest}: suggests budgets from earlier runs. */
@Command(
    name = "suggest",
    description = {
      "Shows how much memory to ask for, from what earlier runs of a job used.",
      "",
      "For each job name, it takes the last 20 runs on this node: the largest use,",
      "plus 10 %% (256 MiB at least), in steps of 256 MiB. It adds refused memory of a",
      "run. Users see their own jobs, root those of all."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown.",
      "1:Nothing is known of such a job, or the history cannot be read.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu suggest",
      "  schedgpu suggest train.sh",
      "  sbatch --gres=gpu:1 $(schedgpu suggest train.sh --option) train.sh"
    })
public final class SuggestCommand extends NodeCommand {
  private static final int ROOT = 0;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the job. Default: all.")
  private String name;

  @Option(
      names = "--user",
      paramLabel = "USER",
      description = "Jobs of this user, by name or number. Default: all that may be seen.")
  private String user;

  @Option(names = "--json", description = "Prints JSON: exact bytes.")
  private boolean json;

  @Option(
      names = "--option",
      description = "Prints the option alone, for a command line: of one NAME and user.")
  private boolean option;

  @Override
  public Integer call() {
    if (option && name == null) {
      throw new picocli.CommandLine.ParameterException(
          spec().commandLine(), "--option needs the NAME of a job");
    }
    List<Map<String, Object>> found = find();
    if (json) {
      out().print(JsonText.of(Map.of("suggestions", found)));
    } else if (found.isEmpty()) {
      err().println("schedgpu: " + nothing());
    } else if (option) {
      out().println(onlyOption(found));
    } else {
      out().print(SuggestText.of(found, Style.ofTerminal()::bold));
    }
    out().flush();
    return found.isEmpty() ? ExitCode.FAILED : ExitCode.OK;
  }

  private String onlyOption(List<Map<String, Object>> found) {
    if (found.size() > 1) {
      throw new AgentException(name + ": several users have such jobs: choose one with --user");
    }
    return found.get(0).get("option").toString();
  }

  private String nothing() {
    return "nothing is known of "
        + (name == null ? "jobs" : "jobs named " + name)
        + (user == null ? "" : " of user " + user)
        + " on this node that you may see: run one, with or without --schedgpu-mem";
  }

  private List<Map<String, Object>> find() {
    Map<String, Object> arguments = new HashMap<>();
    if (name != null) {
      arguments.put("name", name);
    }
    Optional<Map<String, Object>> answer = QueryClient.ask(runDir(), "suggest", arguments);
    List<Map<String, Object>> all = answer.isPresent() ? suggestions(answer.get()) : withoutAgent();
    return all.stream().filter(this::isOfUser).toList();
  }

  private boolean isOfUser(Map<String, Object> suggestion) {
    return user == null
        || user.equals(suggestion.get("user"))
        || user.equals(String.valueOf(suggestion.get("uid")));
  }

  @SuppressWarnings("unchecked") // JSON objects are maps with texts as keys
  private static List<Map<String, Object>> suggestions(Map<String, Object> answer) {
    return answer.get("suggestions") instanceof List<?> list
        ? (List<Map<String, Object>>) list
        : List.of();
  }

  /** Root can read the history without the agent. */
  private List<Map<String, Object>> withoutAgent() {
    if (Posix.effectiveUid() != ROOT) {
      throw new AgentException(
          "no agent runs on this node that could be asked: ask the administrator to start"
              + " schedgpu-agent");
    }
    SuggestQuestion question =
        new SuggestQuestion(
            () -> HistoryStore.open(conf().historyFile()), () -> NodeSizes.of(runDir()));
    return question.look(OptionalInt.empty(), Optional.ofNullable(name)).stream()
        .map(Suggestion::toMap)
        .toList();
  }
}
