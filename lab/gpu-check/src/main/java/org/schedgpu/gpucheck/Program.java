package org.schedgpu.gpucheck;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program that executes commands line by line, and answers each line with a result and a number
 * ({@code commands.h}, {@code commands.py}). Used by one thread. {@link #close} ends it with all
 * its children.
 */
final class Program implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(20);
  private static final int LAST_LINES = 3;
  private static final Answer OVER = new Answer(Integer.MIN_VALUE, 0, 0);

  private final String name;
  private final Process process;
  private final BufferedWriter input;
  private final Path errors;
  private final Deadline deadline;
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

  /**
   * An answer.
   *
   * @param result 0, a CUDA error, or negative: see the programs
   * @param atNs when it was read, on the clock of {@link System#nanoTime}
   */
  record Answer(int result, long number, long atNs) {
    boolean isDone() {
      return result == 0;
    }

    boolean isOutOfMemory() {
      return result == 2;
    }

    /** In C programs: the driver lacks this function. */
    boolean isNotThere() {
      return result == -3;
    }
  }

  private Program(String name, Process process, Path errors, Deadline deadline) {
    this.name = name;
    this.process = process;
    this.errors = errors;
    this.deadline = deadline;
    input = process.outputWriter(StandardCharsets.US_ASCII);
    Thread reader = new Thread(this::read, "answers of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a program.
   *
   * @param environment all of it
   * @param errors file for its standard error
   * @param deadline limit on the wait for any answer
   */
  static Program start(
      List<String> command, Map<String, String> environment, Path errors, Deadline deadline) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    String name = nameOf(command);
    try {
      return new Program(name, builder.start(), errors, deadline);
    } catch (IOException e) {
      throw new CheckException("cannot start " + name, e);
    }
  }

  /** The file of a command: what Python runs, if that is it. */
  static String nameOf(List<String> command) {
    String file =
        command.stream().filter(word -> word.endsWith(".py")).findFirst().orElse(command.get(0));
    return Path.of(file).getFileName().toString();
  }

  long pid() {
    return process.pid();
  }

  /** Its standard error so far. */
  String errors() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a line; the answer comes later. */
  void tell(String line) {
    try {
      input.write(line);
      input.newLine();
      input.flush();
    } catch (IOException gone) {
      throw over();
    }
  }

  /** The next answer; each line has one. */
  Answer answer() throws InterruptedException {
    Answer answer = answers.poll(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
    if (answer == null) {
      throw new OutOfTime(name + " did not answer in the time that was left");
    }
    if (OVER.equals(answer)) {
      throw over();
    }
    return answer;
  }

  /** An answer that has already arrived, or null. */
  Answer poll() {
    Answer answer = answers.poll();
    if (OVER.equals(answer)) {
      throw over();
    }
    return answer;
  }

  Answer ask(String line) throws InterruptedException {
    tell(line);
    return answer();
  }

  /** Runs a line that fails only if the check itself is wrong; returns the number of the answer. */
  long must(String line) throws InterruptedException {
    Answer answer = ask(line);
    if (!answer.isDone()) {
      throw new CheckException(name + ": '" + line + "' gave " + answer.result() + lastErrors());
    }
    return answer.number();
  }

  /** Closes its input and waits for its end; its exit status. */
  int end() throws InterruptedException {
    try {
      input.close();
    } catch (IOException gone) {
      // It ended earlier; its exit status is still valid.
    }
    Duration left = deadline.left();
    if (!process.waitFor(Math.max(left.toMillis(), 1), TimeUnit.MILLISECONDS)) {
      throw new OutOfTime(name + " did not end in the time that was left");
    }
    return process.exitValue();
  }

  /** Sends SIGKILL and does not wait. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(END.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CheckException over() {
    return new CheckException(name + " ended too early" + lastErrors());
  }

  private String lastErrors() {
    List<String> lines = errors().lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty()
        ? ""
        : ": "
            + String.join(
                " / ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
      String line = lines.readLine();
      while (line != null) {
        take(line);
        line = lines.readLine();
      }
    } catch (IOException e) {
      // It was killed, so there is nothing more to read.
    }
    answers.add(OVER);
  }

  /** Frameworks may write lines of their own. */
  private void take(String line) {
    if (line.matches("-?\\d{1,9} \\d{1,18}")) {
      String[] words = line.split(" ", -1);
      answers.add(
          new Answer(Integer.parseInt(words[0]), Long.parseLong(words[1]), System.nanoTime()));
    }
  }
}
