package org.schedgpu.agent;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import org.schedgpu.agent.command.PromptStatus;
import picocli.CommandLine;

/**
 * Entry of {@code schedgpu}. What a prompt status does not need is in {@link Commands}: to set up
 * the table of the commands takes as long as the question.
 */
public final class Main {
  static final PromptStatus PROMPT_STATUS = new PromptStatus(System.getenv());

  private Main() {}

  public static void main(String[] args) {
    OptionalInt told = PROMPT_STATUS.print(List.of(args), System.out);
    System.exit(told.isPresent() ? told.getAsInt() : execute(args));
  }

  private static int execute(String... args) {
    CommandLine commands = commandLine(args);
    return commands.setOut(writer(System.out)).setErr(writer(System.err)).execute(args);
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  /** The command line for some arguments. */
  static CommandLine commandLine(String... args) {
    return Commands.commandLine(args);
  }
}
