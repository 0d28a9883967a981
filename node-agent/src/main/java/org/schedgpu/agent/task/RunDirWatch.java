package org.schedgpu.agent.task;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.FileWatch;

/** Reports events in the run directory of the present region to a task. Used by one thread. */
public final class RunDirWatch implements AutoCloseable {
  private final RegionAccess access;
  private final BiConsumer<FileWatch, Path> kind;
  private final FileWatch watch = new FileWatch();
  private int opened;

  /**
   * @param kind of events to report
   */
  public RunDirWatch(RegionAccess access, BiConsumer<FileWatch, Path> kind) {
    this.access = access;
    this.kind = kind;
  }

  /** See {@link PeriodicTask#descriptor}. */
  public OptionalInt descriptor() {
    return OptionalInt.of(watch.descriptor());
  }

  /** Reads all pending events, so that the descriptor is no longer readable. */
  public void drain() {
    watch.drain();
  }

  /**
   * To be called with an open region, before it is read: from then on the folder is watched, and
   * every change after that is reported.
   *
   * @return true if it is another region than at the last call
   */
  public boolean follow() {
    if (access.opened() == opened) {
      return false;
    }
    opened = access.opened();
    kind.accept(watch, access.runDir());
    return true;
  }

  @Override
  public void close() {
    watch.close();
  }
}
