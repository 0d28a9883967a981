package org.schedgpu.agent;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** Entry of {@code schedgpu}. The commands are in {@link Commands}. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    CommandLine commands = commandLine(args);
    System.exit(commands.setOut(writer(System.out)).setErr(writer(System.err)).execute(args));
  }

  private static PrintWriter writer(PrintStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  /** The command line for some arguments. */
  static CommandLine commandLine(String... args) {
    return Commands.commandLine(args);
  }
}
