package org.schedgpu.agent.wait;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.gres.common.WholeFile;

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
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8), permissions);
    } catch (IOException problem) {
      throw new AgentException(
          "%s: cannot be written (%s): make room, or check its folder"
              .formatted(file, problem.getMessage()),
          problem);
    }
  }
}
