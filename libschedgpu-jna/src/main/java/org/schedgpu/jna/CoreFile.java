package org.schedgpu.jna;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where libschedgpu-core.so is: the system property {@value CoreLibrary#PROPERTY}, else beside the
 * jar.
 */
final class CoreFile {
  private static final String NAME = "libschedgpu-core.so";

  private CoreFile() {}

  /** The library that would be loaded, if there is one. */
  static Optional<Path> find() {
    String named = System.getProperty(CoreLibrary.PROPERTY, "");
    Optional<Path> place =
        named.isEmpty()
            ? LibraryFinder.ownFolder().map(folder -> folder.resolve(NAME))
            : Optional.of(Path.of(named).toAbsolutePath());
    return place.filter(Files::isRegularFile);
  }

  /** What is wrong when there is none. */
  static String notFound() {
    return "schedgpu: no " + NAME + " beside schedgpu.jar: reinstall schedgpu";
  }
}
