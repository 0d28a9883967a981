package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The end of every log of a cluster, for errors. */
final class LogTails {
  private static final int LINES = 12;

  private LogTails() {}

  /** Never throws, because it explains another failure. */
  static String of(Path logs) {
    try (Stream<Path> files = Files.list(logs)) {
      return files.sorted().map(LogTails::tail).collect(Collectors.joining());
    } catch (IOException e) {
      return "(no logs: " + e + ")";
    }
  }

  private static String tail(Path log) {
    try {
      String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      List<String> lines = text.lines().toList();
      if (lines.isEmpty()) {
        return "";
      }
      List<String> last = lines.subList(Math.max(0, lines.size() - LINES), lines.size());
      return "--- " + log.getFileName() + "\n" + String.join("\n", last) + "\n";
    } catch (IOException e) {
      return "--- " + log.getFileName() + ": " + e + "\n";
    }
  }
}
