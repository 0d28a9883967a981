package org.schedgpu.gres;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.schedgpu.gres.command.GresCommand;
import picocli.CommandLine;

/** {@code schedgpu gres} without the rest of {@code schedgpu}. */
public final class CommandMain {
  private CommandMain() {}

  @CommandLine.Command(name = "schedgpu", subcommands = GresCommand.class)
  static final class Top {}

  /** How a command ended. */
  public record Result(int exitCode, String out, String err) {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new Top()).execute(args));
  }

  public static Result run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new Top())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    return new Result(exitCode, out.toString(), err.toString());
  }
}
