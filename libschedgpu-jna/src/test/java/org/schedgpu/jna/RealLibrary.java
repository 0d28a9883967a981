package org.schedgpu.jna;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Skips tests of the real libschedgpu, with a message, if it has not been built. */
final class RealLibrary {
  private RealLibrary() {}

  static void require() {
    assumeTrue(
        LibraryFinder.find().isPresent(),
        () -> "libschedgpu is not built: none of " + LibraryFinder.candidates());
  }
}
