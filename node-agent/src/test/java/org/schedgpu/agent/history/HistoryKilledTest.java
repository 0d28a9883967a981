package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;

/** A writer that SIGKILL ends repeatedly, at any point of its work. */
class HistoryKilledTest {
  private static final int LIVES = 3;
  private static final int JOBS_OF_A_LOOK = 50;
  private static final int MAX_MS = 30;

  @TempDir Path folder;

  /** Writes samples until it is killed; after each it prints up to which job all are written. */
  static final class Writer {
    public static void main(String[] words) {
      try (HistoryWriter writer = HistoryWriter.open(Path.of(words[0]))) {
        long last = writer.lastSequence(Records.REGION);
        while (true) {
          List<SeenJob> ended = new ArrayList<>();
          for (int i = 0; i < JOBS_OF_A_LOOK; i++) {
            ended.add(Records.ended(++last, 1000));
          }
          writer.write(Records.look(Records.REGION, Records.NOON, List.of(), ended));
          System.out.println(last);
        }
      }
    }
  }

  private Process start(Path file) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dorg.sqlite.tmpdir="
                + Path.of("target").toAbsolutePath(), // a killed process leaves it
            "-cp",
            System.getProperty("java.class.path"),
            Writer.class.getName(),
            file.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void everyLookIsThereAsAWholeOrNotAtAll() throws Exception {
    Path file = folder.resolve("history.db");
    long seed = System.nanoTime();
    System.out.println("HistoryKilledTest: seed " + seed);
    Random random = new Random(seed);
    for (int life = 0; life < LIVES; life++) {
      Process writer = start(file);
      long said = 0;
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
        int looks = 1 + random.nextInt(20);
        for (int i = 0; i < looks; i++) {
          said = Long.parseLong(lines.readLine());
        }
        Thread.sleep(
            random.nextInt(MAX_MS)); // otherwise it would always be killed between two samples
      }
      writer.destroyForcibly().waitFor();
      check(file, said);
    }
  }

  private static void check(Path file, long said) {
    try (HistoryWriter next = HistoryWriter.open(file)) {
      Sql sql = next.sql();
      long last = next.lastSequence(Records.REGION);
      assertTrue(last >= said, () -> "what was written is lost: " + last + " < " + said);
      assertEquals(0, last % JOBS_OF_A_LOOK, "half a look");
      assertEquals(last, sql.number("SELECT count(*) FROM job"));
      assertEquals(last, sql.number("SELECT max(sequence) FROM job"));
      assertEquals(last, sql.number("SELECT count(*) FROM job_device"));
      List<String> wrong = new ArrayList<>();
      sql.each(row -> wrong.add(row.getString(1)), "PRAGMA integrity_check", List.of());
      assertEquals(List.of("ok"), wrong);
    }
  }
}
