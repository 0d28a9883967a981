package org.schedgpu.integration;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Each test class holds a lock on a file while it runs, because two JVMs run classes of this
 * module: a shared lock, since most classes use the build; an exclusive lock if the class changes
 * the build ({@link RelinksTheBuild}). JUnit finds this extension by its service file.
 */
public final class BuildLock implements BeforeAllCallback, AfterAllCallback {
  private static final Path FILE = Path.of("target", "build.lock");
  private static FileLock held;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    Class<?> test = context.getRequiredTestClass();
    if (test.getEnclosingClass() == null) {
      hold(!test.isAnnotationPresent(RelinksTheBuild.class));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    if (context.getRequiredTestClass().getEnclosingClass() == null) {
      release();
    }
  }

  private static synchronized void hold(boolean shared) throws IOException {
    FileChannel channel =
        FileChannel.open(
            FILE, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    held = channel.lock(0, Long.MAX_VALUE, shared);
  }

  private static synchronized void release() throws IOException {
    held.acquiredBy().close();
  }
}
