package org.schedgpu.gres.common;

/** The message for a cluster whose files do not fit into the memory of this Java process. */
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
