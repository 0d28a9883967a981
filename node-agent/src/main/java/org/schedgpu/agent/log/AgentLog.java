package org.schedgpu.agent.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Directs the agent's log to stderr, from where systemd takes it to the journal. */
public final class AgentLog {
  private static final Map<String, Level> LEVELS =
      Map.of(
          "error", Level.SEVERE, "warning", Level.WARNING, "info", Level.INFO, "debug", Level.FINE);

  /**
   * The logger of all packages. The field keeps it alive, because the logging library forgets
   * loggers, and their levels, without a reference.
   */
  private static final Logger OURS = Logger.getLogger("org.schedgpu.agent");

  private AgentLog() {}

  /**
   * Directs the log to stderr.
   *
   * @param journal true: with priorities for the journal, and without the time
   */
  public static void start(boolean journal) {
    for (Handler handler : OURS.getHandlers()) {
      OURS.removeHandler(handler);
    }
    OURS.setUseParentHandlers(false);
    ConsoleHandler handler = new ConsoleHandler();
    handler.setFormatter(new LogFormat(journal));
    handler.setLevel(Level.ALL);
    handler.setFilter(new LogLimit(System::nanoTime));
    OURS.addHandler(handler);
  }

  /**
   * Drops less important messages.
   *
   * @param name value of LogLevel; any other value means info
   */
  public static void level(String name) {
    OURS.setLevel(LEVELS.getOrDefault(name, Level.INFO));
  }

  /** True if stderr goes directly to the journal, as systemd announced it. */
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
