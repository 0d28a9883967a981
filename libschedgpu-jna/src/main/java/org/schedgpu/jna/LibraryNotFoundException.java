package org.schedgpu.jna;

/** libschedgpu.so was not found or cannot be loaded; the message names the places searched. */
public final class LibraryNotFoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LibraryNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
