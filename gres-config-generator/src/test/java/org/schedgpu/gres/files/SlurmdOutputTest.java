package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code slurmd -G} of other releases printed, recorded with Debian's packages. */
class SlurmdOutputTest {
  private static List<String> complaints(String version, String name) throws IOException {
    String resource = "slurmd/" + version + "-" + name + ".txt";
    try (InputStream text = SlurmdOutputTest.class.getResourceAsStream(resource)) {
      return SlurmCheck.complaints(
          "gpu1",
          "gpu:k20m:6",
          new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"24.11.5", "26.05.5"})
  void gpusAreCounted(String version) throws IOException {
    assertEquals(List.of(), complaints(version, "good"));
  }

  /** Slurm continues without the option, and 26.05 reports cgroup/v1 as old. */
  @ParameterizedTest
  @ValueSource(strings = {"24.11.5", "26.05.5"})
  void whatSlurmTakesIsNoComplaint(String version) throws IOException {
    assertEquals(List.of(), complaints(version, "automount"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"24.11.5", "26.05.5"})
  void anotherCountIsReportedWithSlurmsWords(String version) throws IOException {
    assertEquals(
        List.of(
            "gpu1: warning: A line in gres.conf for GRES gpu:k20m has 1 more configured than"
                + " expected in slurm.conf. Ignoring extra GRES.",
            "gpu1: slurmd sees 2 of gpu:k20m:6: Gres= of the node in slurm.conf must be"
                + " gpu:k20m:6"),
        complaints(version, "count"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"24.11.5", "26.05.5"})
  void anotherTypeAndAnUnknownKeyAreReported(String version) throws IOException {
    assertEquals(
        "gpu1: warning: Ignoring file-less GPU gpu:k40 from final GRES list",
        complaints(version, "type").get(1));
    assertEquals(
        List.of(
            "gpu1: error: _parse_next_key: Parsing error at unrecognized key: Bogus",
            "gpu1: fatal: Unable to process configuration file"),
        complaints(version, "bogus").subList(0, 2));
    assertEquals(
        "gpu1: fatal: MultipleFiles does not contain multiple files. Use File instead",
        complaints(version, "onefile").get(0));
  }
}
