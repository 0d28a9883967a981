package org.schedgpu.demo;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Closes open resources, the newest first, when a run ends or when a signal (Ctrl-C) ends the JVM.
 */
final class Stop implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final PrintStream out;
  private volatile boolean stopping;

  Stop(PrintStream out) {
    this.out = out;
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "demo-stop"));
  }

  /** True if the JVM is ending: failures are then a consequence of that. */
  boolean isStopping() {
    return stopping;
  }

  /** Adds a resource to close. */
  synchronized <T extends AutoCloseable> T closeLater(T resource) {
    if (stopping) {
      closeQuietly(resource);
      throw new DemoException("stopped");
    }
    open.push(resource);
    return resource;
  }

  /** Closes all resources that were added. */
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

  /** Reports an error instead of throwing it, because the other resources must be closed too. */
  private void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      out.println("demo: " + e.getMessage());
    }
  }
}
