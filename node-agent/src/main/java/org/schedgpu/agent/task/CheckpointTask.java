package org.schedgpu.agent.task;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.SchedGpu;

/**
 * Writes the checkpoint for hooks that begin and end jobs: once for many of them. While an agent
 * runs, hooks only make a file, which this task sees. If a hook finds that file older than a
 * second, it writes the checkpoint itself again.
 */
public final class CheckpointTask implements PeriodicTask {
  /** Also checks periodically, because the kernel may drop events. */
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RegionAccess access;
  private final RunDirWatch watch;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   */
  public CheckpointTask(RegionAccess access) {
    this.access = access;
    watch = new RunDirWatch(access, FileWatch::watchCreations);
  }

  @Override
  public String name() {
    return "checkpoint";
  }

  @Override
  public OptionalInt descriptor() {
    return watch.descriptor();
  }

  @Override
  public long restNs() {
    return REST_NS;
  }

  @Override
  public long run(long nowNs) {
    watch.drain();
    access.use(this::answer);
    return LOOK_NS;
  }

  private void answer(SchedGpu region) {
    watch.follow();
    region.answer();
  }

  @Override
  public void close() {
    watch.close();
  }
}
