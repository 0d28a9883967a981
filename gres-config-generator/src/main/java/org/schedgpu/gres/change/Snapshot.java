package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;

/** A file at one moment: content, owner, group and mode. Nothing changes the bytes. */
final class Snapshot {
  private static final int MODE_BITS = 07777;

  private final FileState state;
  private final byte[] content;

  Snapshot(FileState state, byte[] content) {
    this.state = state;
    this.content = content;
  }

  FileState state() {
    return state;
  }

  byte[] content() {
    return content;
  }

  /**
   * Reads a file.
   *
   * @return empty if there is none
   * @throws GresException if it is not a file, or cannot be read
   */
  static Optional<Snapshot> of(Path target) {
    try {
      if (Files.exists(target, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(target)) {
        throw new GresException(target + " is not a file", "move it away or use another folder");
      }
      byte[] content = Files.readAllBytes(target);
      Map<String, Object> attributes = Files.readAttributes(target, "unix:uid,gid,mode");
      return Optional.of(
          new Snapshot(
              FileState.of(
                  content,
                  (int) attributes.get("uid"),
                  (int) attributes.get("gid"),
                  (int) attributes.get("mode") & MODE_BITS),
              content));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw DiskProblem.of("file " + target + " cannot be read", e);
    }
  }

  /** The file at the end of all links; empty also if its folder does not exist. */
  static Optional<Snapshot> ofPath(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    return Files.isDirectory(folder) ? of(target(path)) : Optional.empty();
  }

  /**
   * The file itself, all links resolved, whether or not it exists.
   *
   * @throws GresException if the folder does not exist, or links form a circle
   */
  static Path target(Path path) {
    Path end = path.toAbsolutePath();
    try {
      for (int links = 0; Files.isSymbolicLink(end); links++) {
        if (links == 40) {
          throw new GresException(path + " is a link in a circle", "correct the link");
        }
        end = end.resolveSibling(Files.readSymbolicLink(end));
      }
      return end.getParent().toRealPath().resolve(end.getFileName());
    } catch (IOException e) {
      throw DiskProblem.of("folder " + end.getParent() + " of " + path + " cannot be used", e);
    }
  }
}
