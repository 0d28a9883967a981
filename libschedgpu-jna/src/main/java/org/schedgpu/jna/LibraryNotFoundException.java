package org.schedgpu.jna;

/** libschedgpu.so is nowhere, or cannot be loaded; the message names the places tried. */
public final class LibraryNotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LibraryNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
