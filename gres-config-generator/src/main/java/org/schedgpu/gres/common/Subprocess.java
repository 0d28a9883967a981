package org.schedgpu.gres.common;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A program that runs to its end, or until it is killed with its children at a deadline. Its
 * standard input is empty; it inherits our environment and folder. Used by one thread.
 */
public final class Subprocess {
  private static final int MAX_BYTES = 256 << 20;
  private static final Path NOTHING = Path.of("/dev/null");

  private final ProcessBuilder builder;
  private int maxBytes = MAX_BYTES;
  private Charset charset = StandardCharsets.UTF_8;
  private boolean isDetached;

  private Subprocess(List<String> command) {
    builder = new ProcessBuilder(command).redirectInput(NOTHING.toFile());
  }

  /** A program with its arguments. */
  public static Subprocess of(String... command) {
    return of(List.of(command));
  }

  /** The same. */
  public static Subprocess of(List<String> command) {
    return new Subprocess(command);
  }

  /** Changes what it has inherited of our environment. */
  public Subprocess environment(Consumer<Map<String, String>> change) {
    change.accept(builder.environment());
    return this;
  }

  /** A file or device as its standard input. */
  public Subprocess input(Path file) {
    builder.redirectInput(file.toFile());
    return this;
  }

  /** Its errors become part of its output. */
  public Subprocess merged() {
    builder.redirectErrorStream(true);
    return this;
  }

  /**
   * It prints into a file instead of a pipe: a daemon that it leaves behind is not waited for and
   * may go on writing. What it printed before the deadline is not lost.
   */
  public Subprocess detached() {
    isDetached = true;
    return this;
  }

  /**
   * What it may print, 256 MiB unless told otherwise. A program that prints more is killed; of a
   * detached one the end of the output is kept.
   */
  public Subprocess maxBytes(int bytes) {
    maxBytes = bytes;
    return this;
  }

  /** The encoding of its output, UTF-8 unless told otherwise. */
  public Subprocess charset(Charset encoding) {
    charset = encoding;
    return this;
  }

  /**
   * Runs it to its end.
   *
   * @throws IOException if it cannot be started, or its output was lost
   */
  public Result run(Duration limit) throws IOException {
    return start().end(limit);
  }

  /**
   * Starts it. The caller calls {@link Running#end} in any case.
   *
   * @throws IOException if it cannot be started
   */
  public Running start() throws IOException {
    Path out = isDetached ? Files.createTempFile("schedgpu-", ".output") : null;
    Path err = isDetached ? Files.createTempFile("schedgpu-", ".errors") : null;
    try {
      if (isDetached) {
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
      }
      return new Running(builder.start(), out, err);
    } catch (IOException e) {
      remove(out, err);
      throw e;
    }
  }

  private static void remove(Path... files) throws IOException {
    for (Path file : files) {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Why it runs no more: its streams ended with it, or it was killed. */
  public enum End {
    ENDED,
    /** It did not end within the limit. */
    LATE,
    /** It printed too much. */
    TALKATIVE,
    /** This thread was interrupted, which it still is. */
    INTERRUPTED
  }

  /**
   * How it ended.
   *
   * @param exitCode -1 if it was killed
   * @param out what it printed, if it was not killed or is detached
   * @param err its errors, if they are not merged; likewise
   * @param problem what to say of it behind its name, {@code did not end within 5 s}; empty after
   *     exit code 0
   */
  public record Result(End end, int exitCode, String out, String err, Optional<String> problem) {
    /** Exit code 0. */
    public boolean isOk() {
      return exitCode == 0;
    }
  }

  /** One that has been started. All but {@link #end} may be called by any thread. */
  public final class Running {
    private final Process process;
    private final Path outFile;
    private final Path errFile;
    private final CompletableFuture<byte[]> out;
    private final CompletableFuture<byte[]> err;

    private Running(Process process, Path outFile, Path errFile) {
      this.process = process;
      this.outFile = outFile;
      this.errFile = errFile;
      out = drained(process.getInputStream());
      err = drained(process.getErrorStream());
    }

    /** Waits for it; false if it still runs then, or this thread is interrupted. */
    public boolean endsWithin(Duration limit) {
      try {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    /** Sends SIGTERM and does not wait. */
    public void terminate() {
      process.destroy();
    }

    /** Sends SIGKILL to it and its children, and does not wait. */
    public void kill() {
      if (process.isAlive()) { // else /proc would be searched for nothing
        List<ProcessHandle> children = process.descendants().toList();
        process.destroyForcibly(); // first, so that it begins no others
        children.forEach(ProcessHandle::destroyForcibly);
      }
    }

    /**
     * Waits for its end and that of its streams, and kills it if they do not end in time.
     *
     * @throws IOException if its output was lost
     */
    public Result end(Duration limit) throws IOException {
      try {
        End end = await(System.nanoTime() + limit.toNanos());
        boolean ended = end == End.ENDED;
        if (!ended) {
          kill();
        }
        int code = ended ? process.exitValue() : -1;
        return new Result(
            end, code, text(out, outFile), text(err, errFile), problem(end, code, limit));
      } finally {
        kill();
        remove(outFile, errFile);
      }
    }

    private End await(long deadlineNs) throws IOException {
      try {
        if (hasTooMuch(out, deadlineNs) || hasTooMuch(err, deadlineNs)) {
          return End.TALKATIVE;
        }
        return process.waitFor(leftNs(deadlineNs), TimeUnit.NANOSECONDS) ? End.ENDED : End.LATE;
      } catch (TimeoutException late) {
        return End.LATE;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return End.INTERRUPTED;
      } catch (ExecutionException lost) {
        if (lost.getCause() instanceof OutOfMemoryError large) {
          throw large; // which has a message of its own
        }
        throw new IOException("its output was lost (" + lost.getCause() + ")", lost);
      }
    }

    private long leftNs(long deadlineNs) {
      return Math.max(0, deadlineNs - System.nanoTime());
    }

    private boolean hasTooMuch(CompletableFuture<byte[]> stream, long deadlineNs)
        throws ExecutionException, InterruptedException, TimeoutException {
      return stream.get(leftNs(deadlineNs), TimeUnit.NANOSECONDS).length > maxBytes;
    }

    private Optional<String> problem(End end, int code, Duration limit) {
      return switch (end) {
        case ENDED -> code == 0 ? Optional.empty() : Optional.of("ended with exit code " + code);
        case LATE -> Optional.of("did not end within " + limit.toSeconds() + " s");
        case TALKATIVE -> Optional.of("prints more than " + (maxBytes >> 20) + " MiB");
        case INTERRUPTED -> Optional.of("was interrupted");
      };
    }

    private String text(CompletableFuture<byte[]> stream, Path file) throws IOException {
      if (file == null) {
        byte[] none = {};
        return new String(stream.exceptionally(lost -> none).getNow(none), charset);
      }
      try (InputStream in = Files.newInputStream(file)) {
        in.skipNBytes(Math.max(0, Files.size(file) - maxBytes));
        return new String(in.readNBytes(maxBytes), charset);
      }
    }

    /**
     * Reads a stream while the program runs, because a full pipe would stop it; ends with the
     * stream, or kills the program after one byte too many.
     */
    private CompletableFuture<byte[]> drained(InputStream stream) {
      return CompletableFuture.supplyAsync(
          () -> {
            try (stream) {
              byte[] bytes = stream.readNBytes(maxBytes + 1);
              if (bytes.length > maxBytes) {
                kill();
              }
              return bytes;
            } catch (IOException lost) {
              throw new UncheckedIOException(lost);
            }
          },
          task -> {
            Thread thread = new Thread(task, "subprocess-output");
            thread.setDaemon(true);
            thread.start();
          });
    }
  }
}
