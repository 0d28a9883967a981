package org.schedgpu.simulator.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.simulator.job.Job;
import org.schedgpu.simulator.problem.SimulatorException;

/** Lines of sacct: which are simulated, and why others are left out. */
class SacctReaderTest {
  private static final String HEAD =
      "JobID|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|Priority|ReqTRES|AllocTRES|State\n";
  private static final String TRES = "billing=4,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=32G,node=2";
  private static final String GOOD = "7|1000|1010|1100|1400|300|10|2|55|x|" + TRES + "|COMPLETED";
  private static final long S = 1_000_000_000L;

  private static Jobs read(String text, String zone) throws IOException {
    return new SacctReader(ZoneId.of(zone), new Assumptions(6L << 30, 400))
        .read(new BufferedReader(new StringReader(text)), "jobs.txt");
  }

  private static Map<String, LeftOut.Reason> leftOut(String line) throws IOException {
    return read(HEAD + line + "\n", "UTC").leftOut().reasons();
  }

  @Test
  void aLineIsAJob() throws IOException {
    Jobs jobs = read(HEAD + GOOD + "\r\n\n", "UTC");
    assertEquals(
        List.of(
            new Job(
                2,
                1010 * S,
                0,
                300 * S,
                600 * S,
                2,
                2,
                4,
                16L << 30,
                List.of("a100"),
                6L << 30,
                400,
                55)),
        jobs.jobs());
    assertEquals(Map.of(), jobs.leftOut().reasons());
  }

  @Test
  void memoryThatAHistoryKnowsIsFoundByTheNumberInSlurm() throws IOException {
    Assumptions assumptions = new Assumptions(1, 400, Map.of(7L, 70L, 12L, 120L));
    String head = HEAD.replace("JobID|", "JobID|JobIDRaw|");
    String lines =
        head
            + GOOD.replaceFirst("7", "7|7")
            + "\n"
            + GOOD.replaceFirst("7", "9_3|12")
            + "\n"
            + GOOD.replaceFirst("7", "9_4|13")
            + "\n"
            + GOOD.replaceFirst("7", "9_5|x");
    Jobs jobs =
        new SacctReader(ZoneId.of("UTC"), assumptions)
            .read(new BufferedReader(new StringReader(lines)), "jobs.txt");
    assertEquals(
        List.of(70L, 120L, 1L), jobs.jobs().stream().map(job -> job.deviceBytes()).toList());
    assertEquals(2, jobs.memoryKnown());
    assertEquals(
        List.of("has no number in JobIDRaw"), List.copyOf(jobs.leftOut().reasons().keySet()));
  }

  @Test
  void tasksOfAnArrayAreJobs() throws IOException {
    assertEquals(
        2,
        read(HEAD + GOOD.replaceFirst("7", "7_1") + "\n" + GOOD.replaceFirst("7", "7_2"), "UTC")
            .jobs()
            .size());
  }

  @Test
  void timesOfTheDayAreThoseOfTheZone() throws IOException {
    String line =
        GOOD.replace(
            "|1000|1010|1100|1400|",
            "|2026-01-01T00:30:00|2026-01-01T00:30:00|"
                + "2026-01-01T01:00:00|2026-01-01T01:05:00|");
    Job job = read(HEAD + line, "Europe/Berlin").jobs().get(0);
    assertEquals(1767223800L * S, job.submitNs());
    assertEquals(20454, job.day());
  }

  /** At 3 o'clock it was 2 again: the job ran for an hour and five minutes, not for five. */
  @Test
  void aClockChangeIsSeen() throws IOException {
    String line =
        GOOD.replace(
            "|1000|1010|1100|1400|300|",
            "|2026-10-25T01:00:00|2026-10-25T01:00:00|"
                + "2026-10-25T02:10:00|2026-10-25T02:15:00|3900|");
    assertEquals(
        "[has times that contradict each other (a clock change, or it was suspended)]",
        read(HEAD + line, "Europe/Berlin").leftOut().reasons().keySet().toString());
  }

  @Test
  void whatSacctDidNotAllocateIsWhatWasAskedFor() throws IOException {
    String line = GOOD.replace("|x|" + TRES, "|" + TRES + "|");
    assertEquals(2, read(HEAD + line, "UTC").jobs().get(0).gpus());
  }

  @Test
  void withoutALimitAJobMayRunForYears() throws IOException {
    String line = GOOD.replace("|10|2|", "|UNLIMITED|2|");
    assertTrue(read(HEAD + line, "UTC").jobs().get(0).limitNs() > 1_000_000 * S);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "|COMPLETED; |RUNNING; has not ended",
        "|COMPLETED; |PENDING; has not begun",
        "|COMPLETED; |REQUEUED; ran again after a requeue",
        "7|1000; 7+1|1000; is of a heterogeneous job",
        "7|1000; 7.batch|1000; is a step (sacct --allocations leaves them out)",
        "7|1000; 7_[3-9]|1000; is a list of tasks that never began",
        "7|1000; 7_[5-100%10]|1000; is a list of tasks that never began",
        "7|1000; 7_[7,9-12]|1000; is a list of tasks that never began",
        "7|1000; 7_x|1000; has no job ID",
        "|COMPLETED; |REQUEUE_HOLD; has not begun",
        "|COMPLETED; |REQUEUE_FED; has not begun",
        "|COMPLETED; |POWER_UP_NODE; has not begun",
        "|COMPLETED; |RESV_DEL_HOLD; has not begun",
        "|COMPLETED; |SPECIAL_EXIT; has not begun",
        "|COMPLETED; |SIGNALING; has not ended",
        "|COMPLETED; |REVOKED; was revoked: another cluster of the federation ran it",
        "|COMPLETED; |STAGE_OUT; has not ended",
        "gres/gpu:a100=4; gres/gpu:a100=2; has GPUs of several types",
        "|1100|; |Unknown|; never began",
        "|1400|300|; |1100|0|; ran for less than a second",
        "|1400|300|; |1400|200|; has times that contradict each other (a clock change, or it was"
            + " suspended)",
        "|1010|1100|; |1010|900|; has times that contradict each other (a clock change, or it was"
            + " suspended)",
        "7|1000|; 7|1 000,5|; has a time in Submit that cannot be read",
        "7|1000|; 7|13.01.2026 10:00|; has a time in Submit that cannot be read",
        "|300|10|; |5:00|10|; has no number in ElapsedRaw",
        "|300|10|; |300|ten|; has no number in TimelimitRaw",
        "|2|55|; |0|55|; has no number in NNodes",
        "|2|55|; |3|55|; has not the same number of GPUs on each node",
        "gres/gpu; gres/x; has no GPU",
        "gres/gpu=4; gres/gpu=four; has TRES that are no numbers",
        "|COMPLETED; |COMPLE; has an unknown State (truncated, or another format)",
        "|COMPLETED; ''; has not as many fields as the first line",
        "mem=32G; mem=32X; has TRES that are no numbers",
        "gres/gpu:a100=4; gres/gpu:a100=2,gres/gpu:h100=2; has GPUs of several types",
      })
  void aLineThatCannotBePlayedIsCountedAndNamed(String from, String to, String why)
      throws IOException {
    String line = GOOD.replace(from, to);
    Map<String, LeftOut.Reason> reasons = leftOut(line);
    assertEquals(List.of(why), List.copyOf(reasons.keySet()), line);
    assertEquals(1, reasons.get(why).lines());
    assertTrue(reasons.get(why).first().get(0).startsWith("line 2 (job 7"), line);
  }

  @Test
  void anUnknownStateIsNamed() throws IOException {
    assertEquals(
        List.of("line 2 (job 7, NEWS)"),
        leftOut(GOOD.replace("COMPLETED", "NEWS")).values().iterator().next().first());
    assertEquals(
        List.of("line 2 (job 7)"),
        leftOut(GOOD.replace("COMPLETED", "N\u001bEWS")).values().iterator().next().first());
  }

  @ParameterizedTest
  @CsvSource({"LAUNCH_FAILED", "RECONFIG_FAIL", "CANCELLED by 1000", "TIMEOUT"})
  void jobsThatEndedInAnyWayArePlayed(String state) throws IOException {
    assertEquals(1, read(HEAD + GOOD.replace("COMPLETED", state), "UTC").jobs().size());
  }

  /** With AccountingStorageTRES=gres/gpu:a100 and no gres/gpu. */
  @Test
  void typedGpusAloneAreAddedUp() throws IOException {
    Job job =
        read(HEAD + GOOD.replace(",gres/gpu=4", "").replace("a100", "2080TI"), "UTC").jobs().get(0);
    assertEquals(2, job.gpus());
    assertEquals(List.of("2080ti"), job.gpuTypes());
    assertEquals(
        "[has GPUs of several types]",
        leftOut(GOOD.replace("gres/gpu=4", "gres/gpu:h100=2")).keySet().toString());
  }

  @Test
  void gpusNeedNoType() throws IOException {
    Job job = read(HEAD + GOOD.replace("gres/gpu:a100=4,", ""), "UTC").jobs().get(0);
    assertEquals(2, job.gpus());
    assertEquals(List.of(), job.gpuTypes());
  }

  @Test
  void aByteOrderMarkIsPassedOver() throws IOException {
    assertEquals(1, read("\uFEFF" + HEAD + GOOD, "UTC").jobs().size());
  }

  @Test
  void ofARequeuedJobTheLastRunIsPlayed() throws IOException {
    String second = GOOD.replace("|1100|1400|300|", "|2100|2200|100|");
    Jobs jobs = read(HEAD + GOOD + "\n" + second, "UTC");
    assertEquals(List.of(100 * S), jobs.jobs().stream().map(Job::runNs).toList());
    assertEquals(
        List.of("line 2 (job 7)"),
        jobs.leftOut().reasons().get("ran again after a requeue").first());
  }

  @Test
  void onlyTheFirstLinesAreNamed() throws IOException {
    Jobs jobs = read(HEAD + "x\n".repeat(9), "UTC");
    LeftOut.Reason reason = jobs.leftOut().reasons().values().iterator().next();
    assertEquals(9, reason.lines());
    assertEquals(3, reason.first().size());
    assertEquals(9, jobs.read());
  }

  @Test
  void anInputOfOtherColumnsIsRefusedWithTheCommand() {
    SimulatorException problem =
        assertThrows(SimulatorException.class, () -> read("JobID|Submit\n", "UTC"));
    assertTrue(problem.getMessage().contains("no Eligible, Start"), problem.getMessage());
    assertTrue(problem.getMessage().endsWith("print it with " + SacctReader.COMMAND));
  }
}
