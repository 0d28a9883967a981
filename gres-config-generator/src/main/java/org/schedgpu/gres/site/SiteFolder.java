package org.schedgpu.gres.site;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;

/** The folder of slurm.conf: files in it can be changed together. */
public final class SiteFolder {
  private final Path folder;

  /**
   * @param slurmConf absolute
   */
  public SiteFolder(Path slurmConf) {
    folder = slurmConf.getParent();
  }

  Path path() {
    return folder;
  }

  /** A file's name relative to the folder; empty if it is elsewhere. */
  public Optional<String> name(Path file) {
    if (file.startsWith(folder)) {
      return Optional.of(folder.relativize(file).toString());
    }
    Path realFolder = real(folder);
    Path realFile = real(file.getParent()).resolve(file.getFileName());
    return realFile.startsWith(realFolder)
        ? Optional.of(realFolder.relativize(realFile).toString())
        : Optional.empty();
  }

  /**
   * As {@link #name}, for a file that must be changed.
   *
   * @throws GresException if it is elsewhere
   */
  public String changeable(Path file) {
    return name(file)
        .orElseThrow(
            () ->
                new GresException(
                    "file %s must change and is not below %s".formatted(file, folder),
                    "put a link to it into that folder (ln -s %s %s/) and name the link in Include"
                        .formatted(file, folder)));
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }
}
