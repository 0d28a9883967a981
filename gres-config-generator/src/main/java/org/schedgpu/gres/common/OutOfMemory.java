package org.schedgpu.gres.common;

/** What is said where the files of a cluster do not fit into the memory that Java was given. */
public final class OutOfMemory {
  private static final long MIB = 1L << 20;

  private OutOfMemory() {}

  public static String message() {
    return new GresException(
            "the files do not fit into the %d MiB of memory of this Java"
                .formatted(Runtime.getRuntime().maxMemory() / MIB),
            "repeat with SCHEDGPU_JAVA_OPTIONS=-Xmx2g in the environment")
        .getMessage();
  }
}
