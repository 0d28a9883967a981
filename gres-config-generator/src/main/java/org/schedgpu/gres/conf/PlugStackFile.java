package org.schedgpu.gres.conf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** One file in the syntax of plugstack.conf. Its lines joined together are its bytes. Immutable. */
public record PlugStackFile(Path path, List<PlugStackLine> lines) {

  static PlugStackFile parse(Path path, byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    List<PlugStackLine> lines = new ArrayList<>();
    for (int start = 0; start < text.length(); ) {
      int newLine = text.indexOf('\n', start);
      int end = newLine < 0 ? text.length() : newLine + 1;
      Place place = new Place(path, lines.size() + 1);
      lines.add(PlugStackLine.parse(text.substring(start, end), place));
      start = end;
    }
    return new PlugStackFile(path, List.copyOf(lines));
  }

  /** The whole file. */
  public byte[] bytes() {
    return lines.stream()
        .map(PlugStackLine::raw)
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.ISO_8859_1);
  }
}
