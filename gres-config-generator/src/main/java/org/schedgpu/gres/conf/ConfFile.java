package org.schedgpu.gres.conf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/**
 * One configuration file. Its lines joined together are exactly its bytes. Each character stands
 * for one byte, so that text in any encoding survives. Immutable.
 */
public final class ConfFile {
  private final Path path;
  private final List<ConfLine> lines;

  private ConfFile(Path path, List<ConfLine> lines) {
    this.path = path;
    this.lines = lines;
  }

  /**
   * Reads a file.
   *
   * @throws GresException if it cannot be read, or Slurm would reject a line
   */
  public static ConfFile read(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      // Reading a fifo would block, and reading a device might never end.
      throw new GresException(
          "file " + path + " is no regular file", "name the file itself, not a folder or a pipe");
    }
    try {
      return parse(path, Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      throw new GresException("file " + path + " does not exist", "correct the path", e);
    } catch (IOException e) {
      throw new GresException(
          "file %s cannot be read (%s)".formatted(path, IoReason.of(e)),
          "make it readable, or run as a user who may read it",
          e);
    }
  }

  /** Parses the content of a file that is already in memory. */
  public static ConfFile parse(Path path, byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    List<LogicalLine> lines = LogicalLine.split(text);
    for (LogicalLine line : lines) {
      if (line.raw().indexOf('\0') >= 0) {
        throw new Place(path, line.firstLine())
            .error("there is a byte 0", "it is no text; save it as text or restore a backup");
      }
    }
    return new ConfFile(
        path,
        lines.stream()
            .map(line -> ConfLine.of(line, new Place(path, line.firstLine())))
            .collect(Collectors.toUnmodifiableList()));
  }

  /** The path as the caller gave it. */
  public Path path() {
    return path;
  }

  /** All lines, including comments and blank lines. */
  public List<ConfLine> lines() {
    return lines;
  }

  /** The whole file. */
  public byte[] bytes() {
    return text().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The whole file, one character for each byte. */
  String text() {
    return lines.stream().map(ConfLine::raw).collect(Collectors.joining());
  }

  /** Begins a set of changes to this file. */
  public ConfEdit edit() {
    return new ConfEdit(this);
  }
}
