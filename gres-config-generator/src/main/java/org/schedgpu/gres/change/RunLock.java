package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import org.schedgpu.gres.common.GresException;

/**
 * Lets one process at a time change a configuration. The kernel releases the lock when the process
 * ends in any way. The file stays, with the process id of the last holder.
 */
final class RunLock {
  private RunLock() {}

  /**
   * Runs {@code work} while holding the lock.
   *
   * @param folder the folder of the lock file
   * @throws GresException if another process holds the lock, or the file cannot be used
   */
  static <T> T holding(Path folder, Supplier<T> work) {
    return holding(folder, "lock", work);
  }

  /** As above, with another name of the lock file. */
  static <T> T holding(Path folder, String name, Supplier<T> work) {
    Path file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) { // a link of a user would make or empty any file
      if (!locked(channel)) {
        throw new GresException(
            "process %s is changing the same configuration (%s)".formatted(holder(file), file),
            "wait for its end and repeat");
      }
      String me = ProcessHandle.current().pid() + " on " + host() + "\n";
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(me.getBytes(StandardCharsets.UTF_8)));
      return work.get();
    } catch (IOException e) {
      throw DiskProblem.of("file " + file + " cannot be locked", e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static String holder(Path file) throws IOException {
    String who = Files.readString(file).strip();
    return who.isEmpty() ? "(not yet known)" : who;
  }

  /** The name of this host, because hosts may share the folder and with it the lock. */
  private static String host() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
  }
}
