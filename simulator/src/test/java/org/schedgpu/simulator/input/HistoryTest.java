package org.schedgpu.simulator.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;

/** Output of schedgpu history --json: which entries are simulated, and why others are left out. */
class HistoryTest {
  private static final long S = 1_000_000_000L;
  private static final long MIB = 1L << 20;
  private static final String GOOD =
      "{\"job\": \"slurm:7\", \"kind\": \"slurm\", \"id\": 7, \"state\": \"ended\","
          + " \"begunNs\": 90000000000000, \"endedNs\": 90100000000000, \"waitedNs\": 20000000000,"
          + " \"devices\": [{\"device\": 0, \"requestedBytes\": 0, \"peakBytes\": 1073741824},"
          + " {\"device\": 1, \"requestedBytes\": 0, \"peakBytes\": 2147483648}]}";

  @TempDir Path folder;

  private Path file(String name, String... jobs) throws IOException {
    return Files.writeString(
        folder.resolve(name), "{\"jobs\": [" + String.join(", ", jobs) + "], \"missedJobs\": 0}");
  }

  private static Jobs jobs(History history) {
    Assumptions assumptions = new Assumptions(5 * MIB, 400, history.deviceBytes(512 * MIB));
    return history.jobs(ZoneId.of("UTC"), assumptions);
  }

  private Map<String, LeftOut.Reason> leftOut(String... entries) throws IOException {
    return jobs(History.read(List.of(file("n1", entries)))).leftOut().reasons();
  }

  /** The most of its devices, without a context; it ran without its waits. */
  @Test
  void anEntryIsAJobWithTheMemoryThatItUsed() throws IOException {
    Jobs jobs = jobs(History.read(List.of(file("n1", GOOD))));
    Job job =
        new Job(
            7,
            90_000 * S,
            1,
            80 * S,
            86_400L * 3650 * S,
            1,
            2,
            0,
            0,
            List.of(),
            1536 * MIB,
            400,
            0);
    assertEquals(List.of(job), jobs.jobs());
    assertEquals(1, jobs.memoryKnown());
    assertEquals(1, jobs.read());
    assertEquals(Map.of(), jobs.leftOut().reasons());
  }

  @Test
  void aJobInTwoFilesRanOnTwoNodes() throws IOException {
    String other = GOOD.replace("90100", "90200").replace("2147483648", "3221225472");
    Jobs jobs = jobs(History.read(List.of(file("n1", GOOD), file("n2", other))));
    assertEquals(1, jobs.jobs().size());
    assertEquals(2, jobs.jobs().get(0).nodes());
    assertEquals(180 * S, jobs.jobs().get(0).runNs());
    assertEquals(2560 * MIB, jobs.jobs().get(0).deviceBytes());
  }

  @Test
  void memoryThatNobodySawIsTheDefault() throws IOException {
    String gate = GOOD.replace("1073741824", "0").replace("2147483648", "0");
    History history = History.read(List.of(file("n1", gate)));
    assertEquals(Map.of(), history.deviceBytes(0));
    assertEquals(5 * MIB, jobs(history).jobs().get(0).deviceBytes());
    assertEquals(0, jobs(history).memoryKnown());
  }

  @Test
  void ofARequeuedJobTheLastRunCounts() throws IOException {
    Path file = file("n1", GOOD, GOOD.replace("90100", "90500"));
    Jobs jobs = jobs(History.read(List.of(file)));
    assertEquals(80 * S, jobs.jobs().get(0).runNs());
    assertEquals(
        Map.of("ran again after a requeue", new LeftOut.Reason(1, List.of("slurm:7 of " + file))),
        jobs.leftOut().reasons());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "\"kind\": \"slurm\"; \"kind\": \"run\"; is no job of Slurm",
        "\"state\": \"ended\"; \"state\": \"running\"; has not ended",
        "\"state\": \"ended\"; \"state\": \"lost\"; nobody saw its end",
        "\"endedNs\": 90100000000000; \"endedNs\": null; has no number in endedNs",
        "\"endedNs\": 90100000000000; \"endedNs\": 90020000000000; ran for less than a second",
        "\"peakBytes\": 2147483648; \"peakBytes\": -1; has no number in peakBytes",
        "\"id\": 7; \"id\": \"7\"; has no number in id",
        "\"devices\": [; \"devices\": [], \"more\": [; has no GPU",
      })
  void whatCannotBePlayedIsCounted(String good, String bad, String why) throws IOException {
    Map<String, LeftOut.Reason> reasons = leftOut(GOOD.replace(good, bad));
    assertEquals(List.of(why), List.copyOf(reasons.keySet()));
    assertEquals(1, reasons.get(why).lines());
  }

  @Test
  void nodesWithDifferentNumbersOfGpusAreLeftOut() throws IOException {
    String other = GOOD.replaceFirst("\\[\\{[^}]*\\}, ", "[");
    History history = History.read(List.of(file("n1", GOOD), file("n2", other)));
    assertEquals(
        Map.of(
            "has not the same number of GPUs on each node",
            new LeftOut.Reason(1, List.of("slurm:7"))),
        jobs(history).leftOut().reasons());
  }

  @Test
  void aByteOrderMarkIsPassedOver() throws IOException {
    Path file = file("n1");
    Files.writeString(file, "\uFEFF" + Files.readString(file));
    assertEquals(List.of(), jobs(History.read(List.of(file))).jobs());
  }

  @Test
  void anotherFileIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("other"), "{\"nodes\": []}");
    assertEquals(
        "schedgpu: simulate: "
            + file
            + ": has no jobs: print it with schedgpu history --json --limit 1000000",
        assertThrows(SimulatorException.class, () -> History.read(List.of(file))).getMessage());
  }
}
