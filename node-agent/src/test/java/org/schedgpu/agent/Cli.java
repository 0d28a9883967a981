package org.schedgpu.agent;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** Runs the command within the test; {@code run} is a separate program. */
public record Cli(int exitCode, String out, String err) {
  /** Runs it with these words. */
  public static Cli run(String... args) {
    List<String> words = List.of(args);
    if (words.contains("run") && !words.contains("--help") && !words.contains("gres")) {
      return RunProgram.run(args);
    }
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
