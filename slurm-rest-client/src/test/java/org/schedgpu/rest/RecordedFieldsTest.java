package org.schedgpu.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares our specification of v0.0.40 with the recordings of newer slurmrestds, which {@link
 * RealSlurmrestdTest} makes.
 */
class RecordedFieldsTest {
  /** By version; a release serves its newest three. */
  static final List<String> RECORDED = List.of("v0.0.40", "v0.0.42", "v0.0.45");

  static List<String> recorded(String version) throws IOException {
    String name = "served-" + version + ".txt";
    try (InputStream file = RecordedFieldsTest.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  /** Each field exists with the specified type, except fields that came later or were removed. */
  @ParameterizedTest
  @ValueSource(strings = {"v0.0.40", "v0.0.42", "v0.0.45"})
  void whatWeUseIsServed(String version) throws IOException {
    TreeSet<String> different = new TreeSet<>(recorded(version));
    ServedFields.ours().forEach(different::remove);

    assertEquals(
        switch (version) {
          case "v0.0.40" -> List.of("get ping/ answers pings[].responding absent");
          case "v0.0.45" ->
              List.of(
                  "get ping/ answers pings[].mode absent",
                  "get ping/ answers pings[].pinged absent");
          default -> List.of();
        },
        List.copyOf(different));
  }
}
