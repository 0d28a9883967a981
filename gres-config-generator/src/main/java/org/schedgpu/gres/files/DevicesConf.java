package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/** The devices.conf in place. Immutable. */
final class DevicesConf {
  private static final Pattern NODE = Pattern.compile("^\\s*NodeName=(\\S+)\\s.*", Pattern.DOTALL);

  private final String text;

  private DevicesConf(String text) {
    this.text = text;
  }

  /**
   * The devices.conf in the folder of a file; empty if there is none.
   *
   * @throws GresException if it cannot be read
   */
  static DevicesConf beside(Path file) {
    Path path = file.resolveSibling(GresFiles.DEVICES_CONF);
    try {
      return new DevicesConf(Files.readString(path, StandardCharsets.ISO_8859_1));
    } catch (NoSuchFileException e) {
      return new DevicesConf("");
    } catch (IOException e) {
      throw new GresException(
          "file %s cannot be read (%s)".formatted(path, IoReason.of(e)),
          "make it readable, or run as a user who may read it",
          e);
    }
  }

  /** Replaces the lines of planned nodes; lines of other nodes stay. */
  byte[] with(byte[] planned) {
    if (text.isEmpty()) {
      return planned;
    }
    Map<String, StringBuilder> linesByNode = new LinkedHashMap<>();
    new String(planned, StandardCharsets.ISO_8859_1)
        .lines()
        .forEach(
            line ->
                linesByNode
                    .computeIfAbsent(node(line), n -> new StringBuilder())
                    .append(line)
                    .append('\n'));
    Map<String, StringBuilder> left = new LinkedHashMap<>(linesByNode);
    StringBuilder all = new StringBuilder();
    for (String line : text.lines().toList()) {
      String node = node(line);
      StringBuilder own = left.remove(node);
      if (own != null) {
        all.append(own);
      } else if (!linesByNode.containsKey(node)) {
        all.append(line).append('\n');
      }
    }
    left.values().forEach(all::append);
    return all.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String node(String line) {
    Matcher matcher = NODE.matcher(line);
    return matcher.matches() ? matcher.group(1) : "";
  }
}
