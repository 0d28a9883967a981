package org.schedgpu.agent.device;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.schedgpu.gres.common.WholeFile;

/**
 * The problems of devices since the node was started, in a file of the run directory, which the
 * agent writes and {@code schedgpu doctor} reads. One line each: seconds since 1970, device, text.
 */
public final class DeviceProblems {
  private static final String FILE = "device-notes";
  private static final int MOST = 100;

  private final Path file;

  /**
   * One problem.
   *
   * @param device physical index; -1 if it is not known
   */
  public record Note(Instant time, int device, String text) {
    private String line() {
      return "%d %d %s\n".formatted(time.getEpochSecond(), device, text);
    }

    private static Optional<Note> of(String line) {
      String[] parts = line.split(" ", 3);
      try {
        return parts.length < 3
            ? Optional.empty()
            : Optional.of(
                new Note(
                    Instant.ofEpochSecond(Long.parseLong(parts[0])),
                    Integer.parseInt(parts[1]),
                    parts[2]));
      } catch (NumberFormatException damaged) {
        return Optional.empty();
      }
    }
  }

  /** The problems in a run directory. */
  public DeviceProblems(Path runDir) {
    this.file = runDir.resolve(FILE);
  }

  /** Oldest first; unreadable lines are left out. */
  public List<Note> read() {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.map(Note::of).flatMap(Optional::stream).toList();
    } catch (IOException | java.io.UncheckedIOException none) {
      return List.of();
    }
  }

  /** Adds one; removes the oldest if there are too many. */
  void add(Note note) throws IOException {
    List<Note> notes = new ArrayList<>(read());
    notes.add(note);
    List<Note> kept = notes.subList(Math.max(0, notes.size() - MOST), notes.size());
    StringBuilder text = new StringBuilder();
    kept.forEach(one -> text.append(one.line()));
    WholeFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
