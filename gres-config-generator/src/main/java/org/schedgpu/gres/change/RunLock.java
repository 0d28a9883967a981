package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Supplier;
import org.schedgpu.gres.common.GresException;

/**
 * One run at a time on a configuration. The system gives the lock back when the process ends,
 * however it ends; the file stays, with the pid of who had it last.
 */
final class RunLock {
  private RunLock() {}

  /**
   * Does something while nobody else does.
   *
   * @param folder where the lock file is
   * @throws GresException if another process is at it, or the file cannot be used
   */
  static <T> T holding(Path folder, Supplier<T> work) {
    return holding(folder, "lock", work);
  }

  /** As above, with another name of the lock file. */
  static <T> T holding(Path folder, String name, Supplier<T> work) {
    Path file = folder.resolve(name);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
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

  /** The folder may be shared by hosts, and the lock with it. */
  private static String host() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
  }
}
