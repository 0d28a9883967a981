package org.schedgpu.agent.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Where the agent's log goes: stderr, which systemd leads into the journal. */
public final class AgentLog {
  private static final Map<String, Level> LEVELS =
      Map.of(
          "error", Level.SEVERE, "warning", Level.WARNING, "info", Level.INFO, "debug", Level.FINE);

  /**
   * What all packages of this program log to. Held: the logging library forgets loggers, and their
   * levels, that nobody holds.
   */
  private static final Logger OURS = Logger.getLogger("org.schedgpu.agent");

  private AgentLog() {}

  /**
   * From now on what this program logs goes to stderr.
   *
   * @param journal with priorities for the journal, and without time
   */
  public static void start(boolean journal) {
    for (Handler handler : OURS.getHandlers()) {
      OURS.removeHandler(handler);
    }
    OURS.setUseParentHandlers(false);
    ConsoleHandler handler = new ConsoleHandler();
    handler.setFormatter(new LogFormat(journal));
    handler.setLevel(Level.ALL);
    OURS.addHandler(handler);
  }

  /**
   * From now on what is less important is not logged.
   *
   * @param name value of LogLevel; info for any other
   */
  public static void level(String name) {
    OURS.setLevel(LEVELS.getOrDefault(name, Level.INFO));
  }

  /** Whether stderr is what systemd said that leads to the journal, and nothing else. */
  public static boolean isJournal(Map<String, String> environment) {
    String stream = environment.getOrDefault("JOURNAL_STREAM", "");
    try {
      Map<String, Object> stderr = Files.readAttributes(Path.of("/proc/self/fd/2"), "unix:dev,ino");
      return stream.equals(stderr.get("dev") + ":" + stderr.get("ino"));
    } catch (IOException | UnsupportedOperationException unknown) {
      return false;
    }
  }
}
