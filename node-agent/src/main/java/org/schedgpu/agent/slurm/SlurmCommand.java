package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a command of Slurm, which may wait for slurmctld, for a limited time. Never used by a hook.
 */
public final class SlurmCommand {
  private static final long PATIENCE_S = 10;

  /** Of all jobs of a node that is a lot. */
  private static final int MAX_BYTES = 8 << 20;

  /**
   * How it ended.
   *
   * @param ok exit status 0
   * @param text what it printed, on both streams
   */
  public record Result(boolean ok, String text) {
    /** True if slurmctld does not know the job, or has forgotten it (MinJobAge). */
    public boolean isUnknownJob() {
      return !ok && text.contains("Invalid job id specified");
    }
  }

  private SlurmCommand() {}

  /** Runs it to its end, or ends it after some seconds. */
  public static Result run(List<String> command) {
    return run(command, PATIENCE_S);
  }

  /**
   * The same with a time limit. What it prints is read while it runs: a full pipe would stop it,
   * and users choose what squeue prints of their jobs.
   */
  static Result run(List<String> command, long patienceS) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      CompletableFuture<byte[]> text = text(process.getInputStream());
      try {
        return ended(command.get(0), process, text.get(patienceS, TimeUnit.SECONDS), patienceS);
      } catch (TimeoutException silent) {
        return late(command.get(0), patienceS);
      } catch (ExecutionException lost) {
        return new Result(
            false, command.get(0) + ": its output was lost (" + lost.getCause() + ")");
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException notThere) {
      return new Result(false, notThere.getMessage());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return new Result(false, "stopped");
    }
  }

  private static Result ended(String name, Process process, byte[] text, long patienceS)
      throws InterruptedException {
    if (text.length > MAX_BYTES) {
      return new Result(false, name + " prints more than " + (MAX_BYTES >> 20) + " MiB");
    }
    return process.waitFor(patienceS, TimeUnit.SECONDS)
        ? new Result(process.exitValue() == 0, new String(text, StandardCharsets.UTF_8).strip())
        : late(name, patienceS);
  }

  private static Result late(String name, long patienceS) {
    return new Result(false, name + " has not answered for " + patienceS + " s");
  }

  /** Ends with the stream, or with one byte too many. */
  private static CompletableFuture<byte[]> text(InputStream stream) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (stream) {
            return stream.readNBytes(MAX_BYTES + 1);
          } catch (IOException lost) {
            throw new UncheckedIOException(lost);
          }
        },
        task -> {
          Thread thread = new Thread(task, "slurm-output");
          thread.setDaemon(true);
          thread.start();
        });
  }
}
