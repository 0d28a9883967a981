package org.schedgpu.jna;

/**
 * Loads libschedgpu. Not a method of {@link CApi}: that class is initialised, and fails, before any
 * method of its own begins.
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
