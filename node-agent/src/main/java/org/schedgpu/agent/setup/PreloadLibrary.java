package org.schedgpu.agent.setup;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.LibraryFinder;

/** Finds libschedgpu-preload.so: PreloadLibrary of schedgpu.conf, else beside libschedgpu.so. */
public final class PreloadLibrary {
  private static final String FILE = "libschedgpu-preload.so";

  private PreloadLibrary() {}

  /** Where it should be, whether or not it exists; empty if unknown. */
  public static Optional<Path> candidate(Conf conf) {
    return conf.preloadLibrary()
        .or(() -> LibraryFinder.find().map(library -> library.resolveSibling(FILE)));
  }

  /**
   * The existing library.
   *
   * @throws AgentException if it does not exist, or may not be read
   */
  public static Path require(Conf conf) {
    return candidate(conf)
        .filter(Files::isReadable)
        .orElseThrow(
            () ->
                new AgentException(
                    candidate(conf).map(Path::toString).orElse(FILE)
                        + ": no readable library: install libschedgpu, or set PreloadLibrary in "
                        + conf.file()));
  }
}
