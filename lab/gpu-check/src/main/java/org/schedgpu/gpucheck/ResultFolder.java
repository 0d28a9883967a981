package org.schedgpu.gpucheck;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The folder of the results. It is complete after each finding, so what a run has found stays if
 * the run is killed. All together at most six files, each far below 16 MiB.
 */
final class ResultFolder {
  private static final int MAX_BYTES_OF_ONE = 64 << 10;
  private static final long MAX_BYTES = 8 << 20;

  private final Path folder;
  private final boolean keepsAll;
  private final Map<Path, Long> seen = new HashMap<>();

  /**
   * Makes the folder.
   *
   * @param keepsAll keep what all programs wrote to standard error, not only after a failure
   */
  ResultFolder(Path folder, boolean keepsAll) {
    this.folder = folder;
    this.keepsAll = keepsAll;
    try {
      Files.createDirectories(folder);
      Files.deleteIfExists(errors());
    } catch (IOException e) {
      throw new CheckException("cannot make the folder " + folder, e);
    }
  }

  /** What the programs of failed checks wrote to standard error. */
  private Path errors() {
    return folder.resolve("errors.txt");
  }

  /** Writes {@code result.json} and {@code result.txt}. */
  void write(Run.Result result) {
    write("result.json", ResultJson.of(result, Instant.now()));
    write("result.txt", Report.whole(result));
  }

  /** Writes one file in whole. */
  void write(String name, String text) {
    try {
      Path next = folder.resolve(name + ".new");
      Files.writeString(next, text);
      Files.move(next, folder.resolve(name), ATOMIC_MOVE);
    } catch (IOException e) {
      throw new CheckException("cannot write into " + folder, e);
    }
  }

  /**
   * Keeps what programs wrote to standard error since the finding before, if this one is bad.
   *
   * @param work folder with the files {@code *.err} of the programs
   */
  void keepErrors(Finding finding, Path work) {
    boolean bad =
        finding.outcome() == Outcome.FAILED || finding.outcome() == Outcome.NOT_DONE || keepsAll;
    try (Stream<Path> files = Files.list(work)) {
      List<Path> all = files.filter(file -> file.toString().endsWith(".err")).sorted().toList();
      for (Path file : all) {
        long size = Files.size(file);
        long from = seen.getOrDefault(file, 0L);
        if (bad && size > from) {
          append(finding, file, from, size);
        }
        seen.put(file, size);
      }
    } catch (IOException e) {
      throw new CheckException("cannot keep the errors of programs in " + folder, e);
    }
  }

  private void append(Finding finding, Path file, long from, long to) throws IOException {
    if (Files.exists(errors()) && Files.size(errors()) > MAX_BYTES) {
      return;
    }
    byte[] bytes = new byte[(int) Math.min(to - from, MAX_BYTES_OF_ONE)];
    try (RandomAccessFile text = new RandomAccessFile(file.toFile(), "r")) {
      text.seek(to - bytes.length);
      text.readFully(bytes);
    }
    String head =
        "== %s, %s (%s): %s%n"
            .formatted(
                finding.section(),
                finding.check(),
                finding.outcome().mark(),
                file.getFileName().toString().replaceFirst("-[0-9]+\\.err$", ""));
    Files.write(errors(), head.getBytes(UTF_8), CREATE, APPEND);
    Files.write(errors(), bytes, APPEND);
    Files.writeString(errors(), System.lineSeparator(), APPEND);
  }

  @Override
  public String toString() {
    return folder.toString();
  }
}
