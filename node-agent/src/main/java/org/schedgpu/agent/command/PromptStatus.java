package org.schedgpu.agent.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.sight.Printed;
import org.schedgpu.agent.sight.SightClient;
import org.schedgpu.agent.status.StatusQuestion;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.LibraryNotFoundException;

/**
 * {@code schedgpu status} and {@code schedgpu status --json} where the agent answers: to parse a
 * command line takes as long as all the rest, and this is asked often, on busy nodes too. With any
 * other option, and whatever goes wrong, it is {@link StatusCommand}'s.
 */
public final class PromptStatus {
  private static final List<String> PLAIN = List.of("status");
  private static final List<String> JSON = List.of("status", "--json");

  private final Map<String, String> environment;
  private boolean asked;

  /** Of one process, with its environment. */
  public PromptStatus(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Prints it; the exit code, or empty if nothing was printed. */
  public OptionalInt print(List<String> args, PrintWriter out) {
    boolean json = args.equals(JSON);
    if (!json && !args.equals(PLAIN)) {
      return OptionalInt.empty();
    }
    Map<String, Object> arguments = StatusQuestion.arguments(json, Style.ofTerminal());
    return runDir()
        .flatMap(runDir -> ask(runDir, arguments))
        .map(status -> OptionalInt.of(print(status, out)))
        .orElse(OptionalInt.empty());
  }

  private Optional<Path> runDir() {
    String set = environment.get(NodeCommand.RUN_DIR_VARIABLE);
    try {
      Path runDir = set != null ? Path.of(set) : Conf.read(Optional.empty(), environment).runDir();
      return Optional.of(runDir.toAbsolutePath().normalize());
    } catch (AgentException | LibraryNotFoundException unreadable) {
      return Optional.empty();
    }
  }

  /** Asks the agent, once: one that is stopped is not waited for twice. */
  Optional<Printed> ask(Path runDir, Map<String, Object> arguments) {
    if (asked) {
      return Optional.empty();
    }
    asked = true;
    return SightClient.askPromptly(runDir, "status", arguments);
  }

  /** Prints the whole of a status; the exit code. */
  static int print(Printed status, PrintWriter out) {
    try {
      status.text().writeTo(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    out.flush();
    return status.sound() ? ExitCode.OK : ExitCode.FAILED;
  }
}
