package org.schedgpu.jna;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Finds libschedgpu-core.so: by the system property {@value CoreLibrary#PROPERTY}, else beside the
 * jar.
 */
final class CoreFile {
  private static final String NAME = "libschedgpu-core.so";

  private CoreFile() {}

  /** The library that would be loaded, if it exists. */
  static Optional<Path> find() {
    String named = System.getProperty(CoreLibrary.PROPERTY, "");
    Optional<Path> place =
        named.isEmpty()
            ? LibraryFinder.ownFolder().map(folder -> folder.resolve(NAME))
            : Optional.of(Path.of(named).toAbsolutePath());
    return place.filter(Files::isRegularFile);
  }

  /** The message for a missing library. */
  static String notFound() {
    return "schedgpu: no " + NAME + " beside schedgpu.jar: reinstall schedgpu";
  }
}
