package org.schedgpu.jna;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The reason of a file error, for readers who do not know Java's classes. */
public final class IoReason {
  private IoReason() {}

  /** {@code Too many open files}, {@code no such file or folder}; never empty. */
  public static String of(IOException problem) {
    if (problem instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (problem instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason =
        problem instanceof FileSystemException file ? file.getReason() : problem.getMessage();
    return reason == null || reason.isEmpty() ? "input or output error" : reason;
  }
}
