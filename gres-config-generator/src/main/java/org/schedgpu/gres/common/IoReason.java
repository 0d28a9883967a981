package org.schedgpu.gres.common;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;

/** The reason of an I/O error in plain words. */
public final class IoReason {
  private IoReason() {}

  /** The reason, without a file name or the name of a Java class. */
  public static String of(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "it is not there";
    }
    if (e instanceof NotDirectoryException) {
      return "it is not a folder";
    }
    if (e instanceof CharacterCodingException) {
      return "it is not UTF-8";
    }
    if (e instanceof FileSystemException system && system.getReason() != null) {
      return system.getReason().toLowerCase(Locale.ROOT);
    }
    return String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
  }
}
