package org.schedgpu.agent.wait;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.schedgpu.agent.problem.AgentException;

/** A small file of lines, replaced as a whole. */
final class RecordFile {
  private final Path file;
  private final String permissions;

  /**
   * @param permissions such as {@code rw-------}
   */
  RecordFile(Path file, String permissions) {
    this.file = file;
    this.permissions = permissions;
  }

  /** Its lines; none if it does not exist. */
  List<String> lines() {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.toList();
    } catch (IOException | UncheckedIOException none) {
      return List.of();
    }
  }

  void write(String text) {
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.deleteIfExists(draft);
      Files.createFile(
          draft,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
      Files.writeString(draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException problem) {
      throw new AgentException(
          "%s: cannot be written (%s): make room, or check its folder"
              .formatted(file, problem.getMessage()),
          problem);
    }
  }
}
