package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobRecord.DeviceUse;
import org.schedgpu.agent.history.JobSample;
import org.schedgpu.agent.history.WrittenHistory;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.report.ReportQuestion;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.Refusals;

/** The command on a history as the agent writes it; run as root, as the other tests are. */
class ReportCommandTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long GIB = 1L << 30;

  /** Half a day before this test, so that it is within the last 24 hours. */
  private static final long NOON = System.currentTimeMillis() / 1000 * SECOND - 43_200 * SECOND;

  @TempDir Path folder;
  private Path conf;

  @BeforeEach
  void configure() throws IOException {
    conf = folder.resolve("schedgpu.conf");
    Files.writeString(
        conf, "RunDir=" + folder.resolve("run") + "\nHistoryFile=" + historyFile() + "\n");
  }

  private Path historyFile() {
    return folder.resolve("history.db");
  }

  private void writeHistory() {
    WrittenHistory.write(
        historyFile(),
        NOON + 100 * SECOND,
        List.of(job(1, 1001, 0, 50), job(2, 1002, 10, 60)),
        List.of(sample(0), sample(30), sample(60)),
        List.of(
            new JobSample(NOON + 30 * SECOND, 1, 0, 6 * GIB, 3 * GIB),
            new JobSample(NOON + 60 * SECOND, 2, 0, 6 * GIB, 2 * GIB)));
  }

  private static JobRecord job(long id, int uid, long begin, long end) {
    return new JobRecord(
        0,
        JobRecord.State.ENDED,
        "slurm",
        id,
        "train",
        uid,
        "user" + uid,
        50,
        "peak",
        NOON + begin * SECOND,
        OptionalLong.of(NOON + end * SECOND),
        JobFigures.of(0, 0, (end - begin) * SECOND),
        Refusals.NONE,
        new TreeMap<>(Map.of(0, new DeviceUse(6 * GIB, 3 * GIB, OptionalLong.of(0)))));
  }

  private static DeviceSample sample(long second) {
    return new DeviceSample(
        NOON + second * SECOND,
        0,
        "GPU-0",
        "Emulated GPU",
        16 * GIB,
        6 * GIB,
        3 * GIB,
        OptionalLong.empty(),
        OptionalInt.empty(),
        1,
        0);
  }

  private Cli report(String... words) {
    List<String> all = new ArrayList<>(List.of("report", "--conf", conf.toString()));
    all.addAll(List.of(words));
    return Cli.run(all.toArray(new String[0]));
  }

  @Test
  void writesAPageAndAPictureOfTheHistory() throws IOException {
    writeHistory();
    Path page = folder.resolve("page.html");
    Path png = folder.resolve("page.png");
    Files.writeString(page, "an older one");
    Cli run = report("-o", page.toString(), "--png", png.toString());
    assertEquals("", run.err());
    assertEquals(0, run.exitCode());
    assertEquals(page + ": 12h00m, 2 jobs on 1 device (emulated)\n", run.out());
    String html = Files.readString(page);
    assertTrue(html.startsWith("<!doctype html>") && html.endsWith("</html>\n"));
    assertTrue(html.contains("Sharing gained: from arrival to end 2 jobs took 50s on average"));
    assertTrue(html.contains("Permission is hereby granted, free of charge"), "Chart.js's licence");
    assertFalse(html.matches("(?s).*(src|href)=\"(https?:)?//.*"), "needs a network");
    assertEquals(
        "\u0089PNG", new String(Files.readAllBytes(png), 0, 4, StandardCharsets.ISO_8859_1));
    try (var left = Files.list(folder)) {
      assertEquals(0, left.filter(f -> f.getFileName().toString().startsWith(".")).count());
    }
  }

  @Test
  void jsonHasExactNumbers() throws IOException {
    writeHistory();
    Cli run = report("--json");
    assertEquals(0, run.exitCode());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(50 * SECOND, json.at("/comparison/shared/meanTurnaroundNs").asLong());
    // The second would have waited until second 50, for 40 s.
    assertEquals(70 * SECOND, json.at("/comparison/exclusive/meanTurnaroundNs").asLong());
    assertEquals(3 * GIB, json.at("/devices/0/meanInUseBytes").asLong());
    assertTrue(json.at("/devices/0/meanUtilisationPercent").isNull());
    assertFalse(Files.exists(Path.of("report.html")));
  }

  @Test
  void aJobHasAPageOfItsOwn() throws IOException {
    writeHistory();
    Path page = folder.resolve("job.html");
    Cli run = report("--job", "2", "-o", page.toString());
    assertEquals(page + ": 1m30s, job slurm:2 on 1 device (emulated)\n", run.out());
    assertTrue(Files.readString(page).contains("<h1>Job slurm:2 on "));
    Cli none = report("--job", "run:2", "-o", page.toString());
    assertEquals(1, none.exitCode());
    assertTrue(none.err().startsWith("schedgpu: job 'run:2' is not in the history: "), none.err());
  }

  /** Each command runs as shown, but writes into the test's folder. */
  @Test
  void thePageOfTheDocumentationShowsCommandsThatWork() throws IOException {
    writeHistory();
    List<String> commands =
        Files.readAllLines(Path.of("..", "docs", "how-to", "report.md")).stream()
            .filter(line -> line.startsWith("$ schedgpu report"))
            .toList();
    assertEquals(4, commands.size());
    for (String command : commands) {
      List<String> words =
          new ArrayList<>(
              List.of(command.substring(2).split(" ")).subList(2, command.split(" ").length - 1));
      words.replaceAll(
          word ->
              word.endsWith(".html") || word.endsWith(".png")
                  ? folder.resolve(word).toString()
                  : word.equals("4036") ? "2" : word);
      if (!words.contains("-o")) {
        words.addAll(List.of("-o", folder.resolve("report.html").toString()));
      }
      Cli run = report(words.toArray(new String[0]));
      assertEquals("", run.err(), command);
      assertEquals(0, run.exitCode(), command);
    }
    assertTrue(Files.size(folder.resolve("week.png")) > 10_000);
  }

  @Test
  void withoutAHistoryItSaysWhoWritesIt() {
    Cli run = report("--json");
    assertEquals(1, run.exitCode());
    assertEquals(
        "schedgpu: "
            + historyFile()
            + ": there is no history yet: the agent writes it, start schedgpu-agent, or name the"
            + " file with HistoryFile\n",
        run.err());
  }

  @Test
  void whatIsNoTimeOrNoJobIsWrongUsage() {
    assertEquals(
        "schedgpu report: --since yesterday: is no time: write 2h, 30d, 2026-11-01: see schedgpu"
            + " report --help\n",
        report("--since", "yesterday").err());
    assertEquals(2, report("--until", "2026-13-01").exitCode());
    assertEquals(2, report("--job", "slurm:x").exitCode());
    assertEquals(2, report("--since", "1h", "--until", "2h").exitCode());
  }

  @Test
  void aReportBeginsWithTheRecordsUnlessABeginIsAsked() {
    writeHistory();
    String page = folder.resolve("page.html").toString();
    assertTrue(report("--since", "24h", "-o", page).out().contains(": 1d00h, 2 jobs"));
    ReportQuestion question = new ReportQuestion(this::historyFile, Map::of);
    long dayBefore = NOON - 86_400 * SECOND;
    assertEquals(dayBefore, fromNs(question, Map.of("fromNs", dayBefore)));
    assertEquals(NOON, fromNs(question, Map.of("fromNs", dayBefore, "recorded", 1)));
    long soonBefore = NOON - 600 * SECOND;
    assertEquals(soonBefore, fromNs(question, Map.of("fromNs", soonBefore, "recorded", 1)));
  }

  private static long fromNs(ReportQuestion question, Map<String, Object> arguments) {
    Map<?, ?> window = (Map<?, ?>) question.answer(arguments, Principal.root()).get("window");
    return ((Number) window.get("fromNs")).longValue();
  }

  @Test
  void aFileThatCannotBeWrittenIsNamed() {
    writeHistory();
    Path nowhere = folder.resolve("nowhere").resolve("r.html");
    Cli run = report("-o", nowhere.toString());
    assertEquals(1, run.exitCode());
    assertEquals(
        "schedgpu: "
            + nowhere
            + ": cannot be written (no such file or folder): choose another place with -o or"
            + " --png\n",
        run.err());
  }

  @Test
  void theAgentTellsAUserOfHisOwnJobs() {
    writeHistory();
    ReportQuestion question = new ReportQuestion(this::historyFile, Map::of);
    String answer = JsonText.of(question.answer(Map.of("fromNs", NOON), new Principal(1002, true)));
    assertTrue(answer.contains("\"slurm:2\"") && answer.contains("\"all others\""), answer);
    assertFalse(answer.contains("slurm:1\"") || answer.contains("user1001"), answer);
  }
}
