package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import java.nio.file.Path;

/**
 * Tells when something happens to files (inotify); what, is for its caller to find out. Its
 * descriptor is readable then. Costs nothing while nothing happens. Used by one thread.
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
   * From now on tells when somebody who had the file open for writing lets go of it: closed it, and
   * unmapped it or ended. Also when it is deleted. Again for the same file changes nothing.
   *
   * @return false if there is no such file
   */
  public boolean watchReleases(Path file) {
    return watch(file, IN_CLOSE_WRITE | IN_ATTRIB);
  }

  /** From now on tells when a file of the folder is replaced or deleted. */
  public boolean watchReplacements(Path folder) {
    return watch(folder, IN_MOVED_TO | IN_DELETE);
  }

  /** From now on tells when a file appears in the folder, by a new name of its own. */
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

  /** Readable when something happened. */
  public int descriptor() {
    return descriptor;
  }

  /** Whether something happened since the last call. */
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
