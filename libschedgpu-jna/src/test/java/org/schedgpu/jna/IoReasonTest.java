package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class IoReasonTest {
  @Test
  void theSystemsOwnWordsAreReported() {
    assertEquals(
        "Too many open files",
        IoReason.of(new FileSystemException("/tmp/a", null, "Too many open files")));
    assertEquals(
        "No space left on device", IoReason.of(new IOException("No space left on device")));
  }

  @Test
  void whatJavaNamesByAClassHasWords() {
    assertEquals("no such file or folder", IoReason.of(new NoSuchFileException("/tmp/a")));
    assertEquals("permission denied", IoReason.of(new AccessDeniedException("/tmp/a")));
  }

  @Test
  void withoutWordsItIsSaidSo() {
    assertEquals("input or output error", IoReason.of(new FileAlreadyExistsException("/tmp/a")));
    assertEquals("input or output error", IoReason.of(new IOException()));
    assertEquals("input or output error", IoReason.of(new IOException("")));
  }
}
