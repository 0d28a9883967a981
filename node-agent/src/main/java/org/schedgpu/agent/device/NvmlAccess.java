package org.schedgpu.agent.device;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.Nvml;
import org.schedgpu.jna.Nvml.NvmlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * NVML, kept open for all tasks of a loop. If it is missing, it is searched for again, because the
 * driver may be loaded or reloaded later. Used by one thread.
 */
public final class NvmlAccess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlAccess.class);
  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(60);

  private Optional<Nvml> nvml = Optional.empty();
  private long retryNs = System.nanoTime();
  private String problem = "";
  private int opened;

  /**
   * Empty if NVML is not installed.
   *
   * @param nowNs System.nanoTime()
   */
  public Optional<Nvml> nvml(long nowNs) {
    if (nvml.isEmpty() && nowNs - retryNs >= 0) {
      open(nowNs);
    }
    return nvml;
  }

  private void open(long nowNs) {
    Nvml.Attempt attempt = Nvml.open();
    nvml = attempt.nvml();
    retryNs = nowNs + RETRY_NS;
    opened += nvml.isPresent() ? 1 : 0;
    if (!attempt.reason().equals(problem)) {
      problem = attempt.reason();
      LOG.warn(
          "overrun: {}",
          problem.isEmpty() ? "NVML is available now" : problem + "; nothing is charged");
    }
  }

  /** How often it was opened. Handles are valid only while this number stays the same. */
  public int opened() {
    return opened;
  }

  /** To be called after a call failed: if the driver was reloaded, all handles are stale. */
  public void failed(long nowNs) {
    close();
    retryNs = nowNs + RETRY_NS;
  }

  @Override
  public void close() {
    Optional<Nvml> open = nvml;
    nvml = Optional.empty();
    try {
      open.ifPresent(Nvml::close);
    } catch (NvmlException gone) {
      LOG.debug("NVML does not close: {}", gone.getMessage());
    }
  }
}
