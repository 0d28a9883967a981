package org.schedgpu.agent.metrics;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;

/**
 * What NVML reports of the devices. A separate thread asks, so that a driver that hangs does not
 * delay the scrape. Used by one thread.
 */
final class NvmlReader implements NvmlSource {
  private static final long PATIENCE_MS = 2000;
  private static final long THREAD_REST_S = 30;

  /** The driver may be loaded later. */
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);

  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          0, 1, THREAD_REST_S, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), NvmlReader::thread);
  private final Callable<Map<String, Seen>> question;
  private final long patienceMs;
  private Future<Map<String, Seen>> asked;
  private Optional<Nvml> nvml = Optional.empty();
  private long retryNs = System.nanoTime();

  NvmlReader() {
    question = this::look;
    patienceMs = PATIENCE_MS;
  }

  /** Uses another source. */
  NvmlReader(Callable<Map<String, Seen>> question, long patienceMs) {
    this.question = question;
    this.patienceMs = patienceMs;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "metrics-nvml");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public Map<String, Seen> ask() {
    if (asked != null && !asked.isDone()) {
      return Map.of(); // it still hangs
    }
    asked = thread.submit(question);
    try {
      return asked.get(patienceMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException unknown) {
      return Map.of();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      return Map.of();
    }
  }

  private Map<String, Seen> look() {
    long nowNs = System.nanoTime();
    if (nvml.isEmpty() && nowNs - retryNs >= 0) {
      nvml = Nvml.open().nvml();
      retryNs = nowNs + RETRY_NS;
    }
    try {
      return nvml.map(NvmlReader::seen).orElse(Map.of());
    } catch (NvmlException problem) {
      nvml = Optional.empty(); // the driver may have been reloaded: its handles are stale
      return Map.of();
    }
  }

  private static Map<String, Seen> seen(Nvml nvml) {
    Map<String, Seen> seen = new HashMap<>();
    for (Nvml.Device device : nvml.devices()) {
      OptionalInt percent = device.utilizationPercent();
      seen.put(device.uuid(), new Seen(device.memory().usedBytes(), percent));
    }
    return seen;
  }

  @Override
  public void close() {
    thread.execute(() -> nvml.ifPresent(Nvml::close));
    thread.shutdown();
  }
}
