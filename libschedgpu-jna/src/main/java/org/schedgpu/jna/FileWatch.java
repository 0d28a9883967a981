package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import java.nio.file.Path;

/**
 * Reports that something happened to files (inotify); the caller finds out what. The descriptor is
 * then readable. Costs nothing while nothing happens. Used by one thread.
 */
public final class FileWatch implements AutoCloseable {
  private static final int IN_ATTRIB = 0x4;
  private static final int IN_CLOSE_WRITE = 0x8;
  private static final int IN_MOVED_TO = 0x80;
  private static final int IN_CREATE = 0x100;
  private static final int IN_DELETE = 0x200;
  private static final int BUFFER_SIZE = 16 << 10;

  private final int descriptor;
  private final Memory buffer = new Memory(BUFFER_SIZE);

  public FileWatch() {
    try {
      descriptor = Linux.inotify_init1(Linux.CLOEXEC | Linux.NONBLOCK);
    } catch (LastErrorException problem) {
      throw Linux.failure("watch files (fs.inotify.max_user_instances)", problem);
    }
  }

  /**
   * From now on reports when a process that had the file open for writing closes or unmaps it, or
   * ends, and when the file is deleted. A second call for the same file changes nothing.
   *
   * @return false if the file does not exist
   */
  public boolean watchReleases(Path file) {
    return watch(file, IN_CLOSE_WRITE | IN_ATTRIB);
  }

  /** From now on reports when a file of the folder is replaced or deleted. */
  public boolean watchReplacements(Path folder) {
    return watch(folder, IN_MOVED_TO | IN_DELETE);
  }

  /** From now on reports when a file with a new name appears in the folder. */
  public boolean watchCreations(Path folder) {
    return watch(folder, IN_CREATE);
  }

  private boolean watch(Path path, int mask) {
    try {
      Linux.inotify_add_watch(descriptor, path.toString(), mask);
      return true;
    } catch (LastErrorException missing) {
      return false;
    }
  }

  /** Readable after something happened. */
  public int descriptor() {
    return descriptor;
  }

  /** True if something happened since the last call. */
  public boolean drain() {
    boolean happened = false;
    while (Linux.Quiet.read(descriptor, buffer, BUFFER_SIZE) > 0) {
      happened = true;
    }
    return happened;
  }

  @Override
  public void close() {
    Linux.close(descriptor);
  }
}
