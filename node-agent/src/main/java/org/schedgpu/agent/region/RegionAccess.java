package org.schedgpu.agent.region;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.ErrorCode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/**
 * The region of a run directory, kept open. It is opened again after another region replaced it,
 * which can happen at any time. Used by one thread.
 */
public final class RegionAccess implements AutoCloseable {
  private static final String DESCRIPTOR = "region";

  /**
   * The two liveness files: one for clients, one for the root side, which includes a {@code
   * schedgpu run} of root.
   */
  private static final String LIVENESS_OF_CLIENTS = "live";

  private static final String LIVENESS_OF_ROOT = "live.root";

  private final Path runDir;
  private final long lockTimeoutNs;
  private SchedGpu region;
  private Object identity;
  private int opened;
  private WeakReference<RegionSnapshot> last = new WeakReference<>(null);
  private long lastChanges;

  /**
   * @param lockTimeoutNs nanoseconds after which a call gives up if a stopped process holds the
   *     lock
   */
  public RegionAccess(Path runDir, long lockTimeoutNs) {
    this.runDir = runDir;
    this.lockTimeoutNs = lockTimeoutNs;
  }

  /** The run directory. */
  public Path runDir() {
    return runDir;
  }

  /** The liveness file of clients. */
  public Path livenessOfClients() {
    return runDir.resolve(LIVENESS_OF_CLIENTS);
  }

  /** The liveness file of hooks and commands. */
  public Path livenessOfRoot() {
    return runDir.resolve(LIVENESS_OF_ROOT);
  }

  /** How often a region was opened: changes with every new region. */
  public int opened() {
    return opened;
  }

  /** The region; empty if there is none with our layout. Throws any other problem. */
  public Optional<SchedGpu> region() {
    Object now = identity();
    if (region == null || now == null || !Objects.equals(now, identity)) {
      close();
      identity = now;
      region = now == null ? null : open();
    }
    return Optional.ofNullable(region);
  }

  private SchedGpu open() {
    try {
      SchedGpu fresh = SchedGpu.open(runDir);
      fresh.setTimeoutNs(lockTimeoutNs);
      opened++;
      return fresh;
    } catch (SchedGpuException problem) {
      if (problem.code() == ErrorCode.ENOREGION || problem.code() == ErrorCode.EVERSION) {
        return null;
      }
      throw problem;
    }
  }

  /** A new region has a new descriptor file. */
  private Object identity() {
    try {
      return Files.readAttributes(runDir.resolve(DESCRIPTOR), BasicFileAttributes.class).fileKey();
    } catch (IOException missing) {
      return null;
    }
  }

  /**
   * A snapshot of the open region without ended jobs. It is the last one again if nobody has
   * written since. What jobs hold is current. What programs use within their budgets changes
   * without a write, so it may be newer in the region.
   */
  public RegionSnapshot liveSnapshot() {
    long changes = region.changes();
    RegionSnapshot liveSnapshot = changes == lastChanges ? last.get() : null;
    if (liveSnapshot == null) {
      liveSnapshot = region.liveSnapshot();
      last = new WeakReference<>(liveSnapshot); // on a full node it is a megabyte
      lastChanges = changes;
    }
    return liveSnapshot;
  }

  /** Applies a function to the region; throws if there is no region, or it cannot be read. */
  public <T> T ask(Function<SchedGpu, T> look) {
    SchedGpu open =
        region()
            .orElseThrow(
                () -> new AgentException(runDir + ": there is no region: run schedgpu setup"));
    return carefully(open, look);
  }

  /** Applies a function to the region, if there is one. */
  public void use(Consumer<SchedGpu> what) {
    region()
        .ifPresent(
            open ->
                carefully(
                    open,
                    region -> {
                      what.accept(region);
                      return null;
                    }));
  }

  private <T> T carefully(SchedGpu open, Function<SchedGpu, T> look) {
    try {
      return look.apply(open);
    } catch (SchedGpuException problem) {
      failed(problem);
      throw problem;
    }
  }

  /**
   * To be called after a failure: the next call reopens the region, unless only the lock was busy.
   */
  public void failed(SchedGpuException problem) {
    if (problem.code() != ErrorCode.ELOCK) {
      close();
    }
  }

  @Override
  public void close() {
    if (region != null) {
      region.close();
      region = null;
      last.clear();
    }
  }
}
