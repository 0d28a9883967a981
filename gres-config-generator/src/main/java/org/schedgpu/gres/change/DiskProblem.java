package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/** Turns an error of the operating system into a message that says what to do. */
final class DiskProblem {
  private DiskProblem() {}

  /**
   * The exception for a failed operation.
   *
   * @param what what failed, with the file: {@code file /etc/slurm/gres.conf cannot be read}
   */
  static GresException of(String what, IOException e) {
    return of(what, e, "root".equals(System.getProperty("user.name")));
  }

  /** As above, with other advice for root than for other users. */
  static GresException of(String what, IOException e, boolean isRoot) {
    return new GresException(what + " (" + IoReason.of(e) + ")", action(e, isRoot), e);
  }

  private static String action(IOException e, boolean isRoot) {
    String reason = IoReason.of(e);
    if (reason.contains("permission denied") || reason.contains("not permitted")) {
      return isRoot
          ? "root may not, either: check lsattr, and whether its file system refuses root (NFS)"
          : "repeat it as root, or as the owner of the files";
    }
    if (reason.contains("no space") || reason.contains("quota")) {
      return "make room and repeat";
    }
    if (reason.contains("read-only")) {
      return "make the file system writable and repeat";
    }
    if (e instanceof NoSuchFileException || e instanceof NotDirectoryException) {
      return "name the right one, or make it";
    }
    return "correct that and repeat";
  }
}
