package org.schedgpu.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.jna.Posix;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** Gives the signals that would end this process to the command it runs instead. */
final class Signals {
  private static final List<String> FORWARDED = List.of("INT", "TERM", "HUP");
  private static final int PROCESS_GROUP = 2;
  private static final int TERMINAL_GROUP = 5;

  private final Map<Signal, SignalHandler> before = new LinkedHashMap<>();

  private Signals() {}

  /** Forwards until it is closed. */
  static Signals forwardTo(Process process) {
    Signals signals = new Signals();
    for (String name : FORWARDED) {
      Signal signal = new Signal(name);
      signals.before.put(signal, Signal.handle(signal, got -> forward(got, process)));
    }
    return signals;
  }

  /** Signals mean again what they meant before. */
  void close() {
    before.forEach(Signal::handle);
  }

  private static void forward(Signal signal, Process process) {
    if (process.isAlive() && !wasSentToAll(signal.getName())) {
      Posix.kill(process.pid(), signal.getNumber());
    }
  }

  /** A terminal sends Ctrl-C to its whole foreground group, so the command has got it already. */
  private static boolean wasSentToAll(String name) {
    return name.equals("INT") && isInForeground();
  }

  private static boolean isInForeground() {
    try {
      return isInForeground(Files.readString(Path.of("/proc/self/stat")));
    } catch (IOException unknown) {
      return false;
    }
  }

  /** Whether a process with this /proc/PID/stat is in the foreground group of its terminal. */
  static boolean isInForeground(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return fields[PROCESS_GROUP].equals(fields[TERMINAL_GROUP]);
  }
}
