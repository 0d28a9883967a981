package org.schedgpu.jna;

/**
 * Loads libschedgpu. It is not a method of {@link CApi}, because the initialisation of that class
 * fails before any of its methods begins.
 */
final class CLibrary {
  private CLibrary() {}

  /** Loads the library; {@link LibraryNotFoundException} if that is not possible. */
  static void load() {
    try {
      CApi.schedgpu_strerror(0);
    } catch (ExceptionInInitializerError problem) {
      if (problem.getCause() instanceof LibraryNotFoundException missing) {
        throw missing;
      }
      throw problem;
    } catch (NoClassDefFoundError again) {
      throw new LibraryNotFoundException(LibraryFinder.notFound(), again);
    }
  }
}
