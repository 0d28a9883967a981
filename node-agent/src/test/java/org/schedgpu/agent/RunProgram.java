package org.schedgpu.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code schedgpu run}: a program of libschedgpu, as the script schedgpu starts it. */
public final class RunProgram {
  private RunProgram() {}

  /** Its command line for the words behind {@code schedgpu}. */
  public static List<String> line(String... words) {
    Path library = Path.of(System.getProperty("schedgpu.library"));
    List<String> line = new ArrayList<>();
    line.add(library.resolveSibling("schedgpu-run").toString());
    line.add("/nonexistent/schedgpu"); // no test needs it to make a region
    line.addAll(List.of(words));
    return line;
  }

  /** Runs it to its end. */
  static Cli run(String... words) {
    return toItsEnd(line(words));
  }

  /** The same program as {@code schedgpu status}, for the words behind {@code schedgpu}. */
  public static Cli status(String... words) {
    List<String> line = line(words);
    line.set(1, "--status");
    return toItsEnd(line);
  }

  private static Cli toItsEnd(List<String> line) {
    try {
      ProcessBuilder builder = new ProcessBuilder(line);
      builder.environment().remove("SCHEDGPU_RUN_DIR"); // the configuration names the folder
      Process process = builder.start();
      process.getOutputStream().close();
      CompletableFuture<String> err =
          CompletableFuture.supplyAsync(() -> read(process.getErrorStream()));
      String out = read(process.getInputStream());
      return new Cli(process.onExit().join().exitValue(), out, err.join());
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  private static String read(java.io.InputStream stream) {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }
}
