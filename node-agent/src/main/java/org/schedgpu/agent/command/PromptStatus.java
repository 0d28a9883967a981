package org.schedgpu.agent.command;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.conf.RunDirSetting;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.query.QueryClient;
import org.schedgpu.agent.status.StatusQuestion;
import org.schedgpu.agent.text.Style;

/**
 * {@code schedgpu status} and {@code schedgpu status --json} where the agent answers: to parse a
 * command line takes as long as all the rest, and this is asked often, on busy nodes too; so no
 * lambda here either, for the sake of the first of which much is loaded. With any other option, and
 * whatever goes wrong, it is {@link StatusCommand}'s.
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
  public OptionalInt print(List<String> args, OutputStream out) {
    boolean json = args.equals(JSON);
    if (!json && !args.equals(PLAIN)) {
      return OptionalInt.empty();
    }
    Map<String, Object> arguments = StatusQuestion.arguments(json, Style.ofTerminal());
    Optional<Path> runDir = runDir();
    Optional<PrintedAnswer> status =
        runDir.isPresent() ? ask(runDir.get(), arguments) : Optional.empty();
    return status.isPresent() ? OptionalInt.of(print(status.get(), out)) : OptionalInt.empty();
  }

  private static int print(PrintedAnswer status, OutputStream out) {
    try {
      status.text().writeTo(out);
    } catch (IOException nobodyReads) {
      throw new UncheckedIOException(nobodyReads);
    }
    return exitCode(status);
  }

  private Optional<Path> runDir() {
    String set = environment.get(NodeCommand.RUN_DIR_VARIABLE);
    Optional<Path> runDir =
        set != null ? Optional.of(Path.of(set)) : RunDirSetting.read(environment);
    return runDir.isPresent()
        ? Optional.of(runDir.get().toAbsolutePath().normalize())
        : Optional.empty();
  }

  /** Asks the agent, once: one that is stopped is not waited for twice. */
  Optional<PrintedAnswer> ask(Path runDir, Map<String, Object> arguments) {
    if (asked) {
      return Optional.empty();
    }
    asked = true;
    return QueryClient.askPromptly(runDir, "status", arguments);
  }

  /** Prints the whole of a status; the exit code. */
  static int print(PrintedAnswer status, PrintWriter out) {
    try {
      status.text().writeTo(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    out.flush();
    return exitCode(status);
  }

  private static int exitCode(PrintedAnswer status) {
    return status.sound() ? ExitCode.OK : ExitCode.FAILED;
  }
}
