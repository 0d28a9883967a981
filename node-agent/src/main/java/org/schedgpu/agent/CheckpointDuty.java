package org.schedgpu.agent;

import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.SchedGpu;
import org.schedgpu.jna.SchedGpuException;

/**
 * Writes the checkpoint for those who begin and end jobs: once for many of them. While an agent
 * lives they only make a file, which is noticed here; where they find it there for more than a
 * second, they write by themselves again.
 */
final class CheckpointDuty implements Duty {
  /** Should the kernel have had to drop what it wanted to tell. */
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RegionAccess access;
  private final FileWatch watch = new FileWatch();
  private int opened;

  CheckpointDuty(RegionAccess access) {
    this.access = access;
  }

  @Override
  public String name() {
    return "checkpoint";
  }

  @Override
  public OptionalInt descriptor() {
    return OptionalInt.of(watch.descriptor());
  }

  @Override
  public long restNs() {
    return REST_NS;
  }

  @Override
  public long run(long nowNs) {
    watch.drain();
    access.region().ifPresent(this::answer);
    return LOOK_NS;
  }

  /** The folder is watched before the look: what appears in between is told. */
  private void answer(SchedGpu region) {
    if (access.opened() != opened) {
      opened = access.opened();
      watch.watchCreations(access.runDir());
    }
    try {
      region.answer();
    } catch (SchedGpuException problem) {
      access.failed(problem);
      throw problem;
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
