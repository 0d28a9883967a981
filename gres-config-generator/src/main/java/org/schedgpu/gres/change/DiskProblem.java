package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import org.schedgpu.gres.GresException;

/** What the system said, in plain words, with what to do about it. */
final class DiskProblem {
  private DiskProblem() {}

  /**
   * A failure as it is told.
   *
   * @param what could not be done, with the file: {@code file /etc/slurm/gres.conf cannot be read}
   */
  static GresException of(String what, IOException e) {
    return new GresException(what + " (" + reason(e) + ")", action(e), e);
  }

  private static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "it is not there";
    }
    if (e instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (e instanceof FileSystemException system && system.getReason() != null) {
      return system.getReason().toLowerCase(Locale.ROOT);
    }
    return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
  }

  private static String action(IOException e) {
    String reason = reason(e);
    if (reason.contains("permission denied") || reason.contains("not permitted")) {
      return "repeat it as root, or as the owner of the files";
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
    return "mend that and repeat";
  }
}
