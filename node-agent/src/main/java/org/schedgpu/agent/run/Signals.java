package org.schedgpu.agent.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.schedgpu.jna.Posix;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/** What is done when a signal comes that would end this process. */
final class Signals {
  private static final List<String> ENDING = List.of("INT", "TERM", "HUP");
  private static final int ENDED_BY_SIGNAL = 128;
  private static final int PROCESS_GROUP = 2;
  private static final int TERMINAL_GROUP = 5;

  private enum State {
    OPEN,
    ENDING,
    CLOSED
  }

  private final Map<Signal, SignalHandler> before = new LinkedHashMap<>();
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final List<Signal> early = new ArrayList<>();
  private Process command;

  private Signals() {}

  /** Starts a command. */
  interface Start {
    Process start() throws IOException;
  }

  /**
   * Starts a command and gives them to it until it ends. They are caught before it is started: one
   * that ended this process just after that would leave a command that nobody waits for.
   *
   * @return its exit code
   */
  static int forward(Start command) throws IOException, InterruptedException {
    Signals signals = new Signals();
    signals.handle(signals::give);
    try {
      Process started = command.start();
      signals.to(started);
      return started.waitFor();
    } finally {
      signals.close();
    }
  }

  /** The command runs: it gets what came before as well. */
  private synchronized void to(Process started) {
    command = started;
    early.forEach(this::send);
  }

  /** A signal came. */
  private synchronized void give(Signal got) {
    if (command == null) {
      early.add(got);
    } else if (!wasSentToAll(got.getName())) {
      send(got);
    }
  }

  private void send(Signal signal) {
    if (command.isAlive()) {
      Posix.kill(command.pid(), signal.getNumber());
    }
  }

  /**
   * Until it is closed the first of them ends this process, whatever its threads do, after the
   * cleanup; a second one does not wait for that. Then {@link #close} never returns: what its
   * caller found out is of no interest any more.
   */
  static Signals endAfter(Runnable cleanup) {
    Signals signals = new Signals();
    signals.handle(got -> signals.end(got, cleanup));
    return signals;
  }

  private void handle(SignalHandler handler) {
    for (String name : ENDING) {
      Signal signal = new Signal(name);
      before.put(signal, Signal.handle(signal, handler));
    }
  }

  private void end(Signal got, Runnable cleanup) {
    boolean first = state.compareAndSet(State.OPEN, State.ENDING);
    if (!first && state.get() == State.CLOSED) {
      Signal.raise(got); // it came when this was being closed: it means what it meant before
      return;
    }
    try {
      if (first) {
        cleanup.run();
      }
    } finally {
      Runtime.getRuntime().halt(ENDED_BY_SIGNAL + got.getNumber());
    }
  }

  /** Signals mean again what they meant before. */
  void close() {
    if (!state.compareAndSet(State.OPEN, State.CLOSED)) {
      sleepForEver();
    }
    before.forEach(Signal::handle);
  }

  private static void sleepForEver() {
    while (true) {
      LockSupport.park();
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
