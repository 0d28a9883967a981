package org.schedgpu.estimate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Estimates of sources that a test writes. */
final class Sources {
  private Sources() {}

  static Map<String, Object> answer(String text, Map<String, String> defined, List<Path> folders) {
    try {
      Path file = Files.createTempFile("estimate", ".cu");
      try {
        Files.writeString(file, text);
        return ask(file, defined, folders);
      } finally {
        Files.delete(file);
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  static Map<String, Object> ask(Path file, Map<String, String> defined, List<Path> folders) {
    return new Estimator()
        .apply(Map.of("files", List.of(file), "folders", folders, "defined", defined));
  }

  static Map<String, Object> answer(String text) {
    return answer(text, Map.of(), List.of());
  }

  /** What is known of the only call: its bytes, or why they are unknown. */
  static Object only(String text) {
    return only(answer(text));
  }

  static Object only(Map<String, Object> answer) {
    List<?> all = (List<?>) answer.get("allocations");
    if (all.size() != 1) {
      throw new AssertionError(answer.toString());
    }
    Map<?, ?> one = (Map<?, ?>) all.get(0);
    return one.get("bytes") == null ? one.get("unknown") : one.get("bytes");
  }

  /** What is known of {@code cudaMalloc(&p, SIZE)} in main, after some lines. */
  static Object size(String before, String inMain, String size) {
    return only(
        before
            + "\nint main(int argc, char **argv) { float *p; "
            + inMain
            + " cudaMalloc(&p, "
            + size
            + "); }\n");
  }
}
