package org.schedgpu.agent;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The command, run within the test. */
public record Cli(int exitCode, String out, String err) {
  /** Runs it with these words. */
  public static Cli run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.commandLine(args)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    return new Cli(exitCode, out.toString(), err.toString());
  }
}
