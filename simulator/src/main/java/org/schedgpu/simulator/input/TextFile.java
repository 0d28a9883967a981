package org.schedgpu.simulator.input;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens inputs. Editors of Windows begin a file with a byte order mark, which is passed over. */
public final class TextFile {
  private static final char MARK = '\uFEFF';

  private TextFile() {}

  /** Its lines, as UTF-8; other bytes are an exception, as of {@link Files#newBufferedReader}. */
  public static BufferedReader open(Path file) throws IOException {
    return withoutMark(Files.newBufferedReader(file, StandardCharsets.UTF_8));
  }

  /** The same of a stream. */
  public static BufferedReader open(InputStream stream) throws IOException {
    return withoutMark(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
  }

  /** All of it, as UTF-8. */
  static String read(Path file) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    return text.indexOf(MARK) == 0 ? text.substring(1) : text;
  }

  /** The same reader, behind the mark if there is one. */
  static BufferedReader withoutMark(BufferedReader reader) throws IOException {
    reader.mark(1);
    if (reader.read() != MARK) {
      reader.reset();
    }
    return reader;
  }
}
