package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

/** The message has the system's reason without Java's names, and useful advice. */
class DiskProblemTest {
  private static String said(IOException e, boolean isRoot) {
    return DiskProblem.of("file x cannot be written", e, isRoot).getMessage();
  }

  @Test
  void rootIsNotReportedToBeRoot() {
    IOException denied = new AccessDeniedException("x");
    assertEquals(
        "schedgpu gres: file x cannot be written (permission denied): repeat it as root, or as the"
            + " owner of the files",
        said(denied, false));
    assertEquals(
        "schedgpu gres: file x cannot be written (permission denied): root may not, either:"
            + " check lsattr, and whether its file system refuses root (NFS)",
        said(denied, true));
  }

  @Test
  void reasonsAreInPlainWords() {
    assertEquals(
        "schedgpu gres: file x cannot be written (is a directory): correct that and repeat",
        said(new FileSystemException("x", null, "Is a directory"), true));
    assertEquals(
        "schedgpu gres: file x cannot be written (it is not UTF-8): correct that and repeat",
        said(new MalformedInputException(1), true));
  }
}
