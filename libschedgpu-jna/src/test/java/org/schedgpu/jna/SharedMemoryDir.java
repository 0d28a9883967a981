package org.schedgpu.jna;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Temporary folders on a tmpfs, like /run. */
final class SharedMemoryDir implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    Path shm = Path.of("/dev/shm");
    return Files.isWritable(shm)
        ? Files.createTempDirectory(shm, "schedgpu-test")
        : Files.createTempDirectory("schedgpu-test");
  }
}
