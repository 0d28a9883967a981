package org.schedgpu.demo;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes what is open, the newest first, when a run ends or when the JVM is told to end (Ctrl-C).
 * Thread-safe.
 */
final class Stop implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final PrintStream out;
  private volatile boolean stopping;

  Stop(PrintStream out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "demo-stop"));
  }

  /** Whether the JVM was told to end: what fails then fails because of that. */
  boolean isStopping() {
    return stopping;
  }

  /** Takes something to close. */
  synchronized <T extends AutoCloseable> T closeLater(T resource) {
    if (stopping) {
      closeQuietly(resource);
      throw new DemoException("stopped");
    }
    open.push(resource);
    return resource;
  }

  /** Closes all that was taken. */
  @Override
  public synchronized void close() {
    while (!open.isEmpty()) {
      closeQuietly(open.pop());
    }
  }

  private void stop() {
    stopping = true;
    boolean any;
    synchronized (this) {
      any = !open.isEmpty();
    }
    close();
    if (any) {
      out.println("\ndemo: stopped; nothing is left running");
    }
  }

  /** The others must be closed too, so an error is told and not thrown. */
  private void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      out.println("demo: " + e.getMessage());
    }
  }
}
