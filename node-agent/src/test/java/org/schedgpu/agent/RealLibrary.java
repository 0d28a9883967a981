package org.schedgpu.agent;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.schedgpu.jna.LibraryFinder;

/** Tests of the real libschedgpu are skipped, and say so, where it has not been built. */
public final class RealLibrary {
  private RealLibrary() {}

  /** Skips the test without the library. */
  public static void require() {
    assumeTrue(
        LibraryFinder.find().isPresent(),
        () -> "libschedgpu is not built: none of " + LibraryFinder.candidates());
  }
}
