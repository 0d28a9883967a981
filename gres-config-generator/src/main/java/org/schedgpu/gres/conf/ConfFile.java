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
 * One configuration file; its lines put together are its bytes, whatever they are. One character is
 * one byte here, so that text in any encoding survives. Immutable.
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
   * @throws GresException if it cannot be read, or a line is none that Slurm takes
   */
  public static ConfFile read(Path path) {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      // A fifo would be waited for, a device read for ever.
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

  /** A file's contents that are in memory already. */
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

  /** As it was given. */
  public Path path() {
    return path;
  }

  /** All lines, comments and blank ones too. */
  public List<ConfLine> lines() {
    return lines;
  }

  /** The whole file. */
  public byte[] bytes() {
    return text().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The whole file, one character a byte. */
  String text() {
    return lines.stream().map(ConfLine::raw).collect(Collectors.joining());
  }

  /** Changes to this file, collected. */
  public ConfEdit edit() {
    return new ConfEdit(this);
  }
}
