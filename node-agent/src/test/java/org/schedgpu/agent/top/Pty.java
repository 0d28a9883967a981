package org.schedgpu.agent.top;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jline.builtins.ScreenTerminal;

/** A command on its own terminal, by script(1), and what its user sees. */
final class Pty implements AutoCloseable {
  private static final int PATIENCE = 30_000;
  private static final int COLUMNS = 80;
  private static final int ROWS = 24;

  private final Path folder;
  private final Process script;
  private final OutputStream keys;
  private final ScreenTerminal screen = new ScreenTerminal(COLUMNS, ROWS);
  private final StringBuilder all = new StringBuilder();
  private int rows = ROWS;
  private int columns = COLUMNS;

  /**
   * Starts a command.
   *
   * @param folder for notes about its terminal: modes before and after, status, pid
   */
  Pty(Path folder, List<String> command, Map<String, String> environment) throws IOException {
    this.folder = folder;
    String line = command.stream().map(Pty::quoted).collect(Collectors.joining(" "));
    Path shell = folder.resolve("on-terminal");
    Files.writeString(
        shell,
        """
        trap : INT # Ctrl-C is for the command
        cd %s
        tty >tty
        stty rows %d columns %d
        stty -g >before
        sh -c 'echo $$ >pid; exec "$@"' sh %s
        echo $? >status
        stty -g >after
        """
            .formatted(quoted(folder.toString()), ROWS, COLUMNS, line));
    ProcessBuilder builder =
        // The process that runs the tests may ignore it, and children inherit that.
        new ProcessBuilder(
                "env",
                "--default-signal=INT",
                "script",
                "-qfec",
                "sh " + quoted(shell.toString()),
                "/dev/null")
            .redirectErrorStream(true);
    builder.environment().putAll(Map.of("TERM", "xterm-256color", "LC_ALL", "C.UTF-8"));
    builder.environment().putAll(environment);
    script = builder.start();
    keys = script.getOutputStream();
    Thread reader = new Thread(this::show, "screen");
    reader.setDaemon(true);
    reader.start();
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  private void show() {
    char[] some = new char[4096];
    try (Reader output = new InputStreamReader(script.getInputStream(), StandardCharsets.UTF_8)) {
      for (int n = output.read(some); n >= 0; n = output.read(some)) {
        synchronized (all) {
          all.append(some, 0, n);
          screen.write(new String(some, 0, n));
        }
      }
    } catch (IOException closed) {
      // the terminal is gone
    }
  }

  void type(String text) throws IOException {
    keys.write(text.getBytes(StandardCharsets.UTF_8));
    keys.flush();
  }

  void resize(int newColumns, int newRows) throws IOException, InterruptedException {
    synchronized (all) {
      columns = newColumns;
      rows = newRows;
      screen.setSize(columns, rows);
    }
    stty("rows", Integer.toString(newRows), "columns", Integer.toString(newColumns));
  }

  /** Modes of the terminal now. */
  String modes() throws IOException, InterruptedException {
    return stty("-g");
  }

  private String stty(String... words) throws IOException, InterruptedException {
    List<String> command = new java.util.ArrayList<>(List.of("stty", "-F", note("tty")));
    command.addAll(List.of(words));
    Process stty = new ProcessBuilder(command).start();
    String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (stty.waitFor() != 0) {
      throw new IllegalStateException("stty failed");
    }
    return said.strip();
  }

  /** What it left in a file; waits until it is there. */
  String note(String name) throws IOException, InterruptedException {
    Path file = folder.resolve(name);
    for (int i = 0; i < PATIENCE; i++) {
      if (Files.exists(file) && Files.size(file) > 0) {
        return Files.readString(file).strip();
      }
      Thread.sleep(10);
    }
    throw new AssertionError("no " + name + ", but:\n" + text());
  }

  /** The process of the command. */
  long pid() throws IOException, InterruptedException {
    return Long.parseLong(note("pid"));
  }

  /** Lines of the screen. */
  String text() {
    synchronized (all) {
      return screen.toString();
    }
  }

  /** The screen in HTML. */
  String html() {
    synchronized (all) {
      try {
        return screen.dump(0, true);
      } catch (InterruptedException stop) {
        throw new UncheckedIOException(new IOException(stop));
      }
    }
  }

  /** All that was written to the terminal. */
  String written() {
    synchronized (all) {
      return all.toString();
    }
  }

  /** Waits until the terminal is, or is not, in the modes that it had before the command. */
  void awaitModesOfBefore(boolean same) throws IOException, InterruptedException {
    for (int i = 0; i < PATIENCE; i++) {
      if (modes().equals(note("before")) == same) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("the modes of the terminal are " + modes());
  }

  /** Waits until this was written to the terminal. */
  void awaitWritten(String text) throws InterruptedException {
    await(unused -> written().contains(text));
  }

  /** Waits until a line that was typed, which the terminal echoes, has been read. */
  void awaitRead(String line) throws IOException, InterruptedException {
    awaitWritten(line + "\r\n");
    try (InputStream terminal = new FileInputStream(note("tty"))) {
      for (int i = 0; i < PATIENCE; i++) {
        if (terminal.available() == 0) {
          return;
        }
        Thread.sleep(10);
      }
    }
    throw new AssertionError("nobody reads " + line);
  }

  /** Waits until the screen shows it. */
  String await(Predicate<String> shown) throws InterruptedException {
    for (int i = 0; i < PATIENCE; i++) {
      String text = text();
      if (shown.test(text)) {
        return text;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("the screen does not show it:\n" + text());
  }

  @Override
  public void close() {
    script.descendants().forEach(ProcessHandle::destroyForcibly);
    script.destroyForcibly();
  }
}
