package org.schedgpu.agent.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.Overruns;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.RegionSnapshot;

/** {@code mvn test -Dschedgpu.regenerate=true} writes the golden files again: read them then. */
class StatusTest {
  private static final Style PLAIN = new Style(false);

  private static void assertGolden(String name, String actual) throws IOException {
    Path file = Path.of("src/test/resources", name);
    if (Boolean.getBoolean("schedgpu.regenerate")) {
      Files.writeString(file, actual);
    }
    assertEquals(Files.readString(file), actual);
  }

  @Test
  void textIsTheGoldenOne() throws IOException {
    assertGolden("status.txt", StatusText.of(Reports.report(Snapshots.busy()), PLAIN));
  }

  @Test
  void jsonIsTheGoldenOne() throws IOException {
    assertGolden("status.json", StatusJson.of(Reports.report(Snapshots.busy())));
  }

  private static StatusReport chargedReport() {
    RegionSnapshot charged = Snapshots.charged();
    return Reports.report(charged, Snapshots.use(charged));
  }

  @Test
  void memoryThatNobodyReservedIsInTheText() throws IOException {
    assertGolden("status-unreserved.txt", StatusText.of(chargedReport(), PLAIN));
  }

  @Test
  void memoryThatNobodyReservedIsInTheJson() throws IOException {
    assertGolden("status-unreserved.json", StatusJson.of(chargedReport()));
  }

  @Test
  void lanesAndTheirTurnsAreTables() throws IOException {
    StatusReport report = Reports.report(Snapshots.withLanes());
    String text = StatusText.of(report, PLAIN);
    assertGolden("status-lanes.txt", text);
    assertGolden("status-lanes.json", StatusJson.of(report));
    String away =
        "\nNo agent answers: what lane jobs keep is not measured, and nothing is recorded.\n";
    assertEquals(text + away, StatusText.of(report, PLAIN, false));
    assertEquals(false, StatusJson.values(report, false).get("agent"));
    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  void aNodeWithoutLaneJobsShowsNothingOfLanes() {
    StatusReport report = Reports.report(Snapshots.busy());
    assertFalse(StatusText.of(report, PLAIN).contains("LANE"));
    assertFalse(StatusJson.of(report).contains("lane"));
  }

  @Test
  void theTurnOfAnotherUsersJobHasNoName() {
    StatusReport report = Reports.report(Snapshots.withLanes()).seenBy(new Principal(1001, true));
    String text = StatusText.of(report, PLAIN);
    assertTrue(text.contains("1       41  others for 7s"), text);
    assertFalse(text.contains("slurm:4711"), text);
    assertFalse(StatusJson.of(report).contains("slurm:4711"));
  }

  @Test
  void aTurnThatIsKeptSaysWhyAndWhatToDo() {
    StatusReport report = Reports.report(Snapshots.withKeptTurn());
    String text = StatusText.of(report, PLAIN);
    String kept =
        """

        slurm:4711 keeps more memory between iterations than is free, so the turn of
        lane 0 has been idle for 1m05s while others wait: declare what it keeps with
        --schedgpu-persistent, or let it free more.
        """;
    assertTrue(text.endsWith(kept), text);
    assertTrue(StatusJson.of(report).contains("\"keptNs\": " + 65 * Snapshots.SECOND));
    String others = StatusText.of(report.seenBy(new Principal(1001, true)), PLAIN);
    assertTrue(others.contains("\nA job of another user keeps more memory between"), others);
    assertFalse(StatusText.of(Reports.report(Snapshots.withLanes()), PLAIN).contains("keeps more"));
  }

  /** As alice, whose jobs are 99 and 4711. */
  private static StatusReport asAlice(StatusReport report) {
    return report
        .seenBy(new Principal(1000, true))
        .with(Reports.forecasts(report.snapshot(), uid -> uid == 1000));
  }

  @Test
  void aUserSeesHisJobsAndSumsOfTheOthers() throws IOException {
    StatusReport report = asAlice(Reports.report(Snapshots.busy()));
    assertGolden("status-alice.txt", StatusText.of(report, PLAIN));
    assertGolden("status-alice.json", StatusJson.of(report));
    StatusText.of(report, PLAIN).lines().forEach(l -> assertTrue(l.length() <= 80, l));
  }

  @Test
  void nothingOfAnotherUserIsInIt() {
    String json = StatusJson.of(asAlice(chargedReport()));
    for (String secret : List.of("run:31", "1234567890123", "a.very.long.name", "Xorg")) {
      assertTrue(StatusJson.of(chargedReport()).contains(secret), secret);
      assertFalse(json.contains(secret), () -> secret + " in " + json);
    }
    assertTrue(json.contains("data-loader-long"), "a program of a job of his own");
  }

  @Test
  void whyEachWaitsAndWhenItIsServedIsSaid() {
    StatusReport report = Reports.report(Snapshots.busy());
    String text = StatusText.of(report, PLAIN);
    assertTrue(
        text.contains("  1m05s not before it gives up\n          needs 6.0 GiB, 2.8 free"), text);
    assertTrue(text.contains("     1s ~15 min\n          not admitted: contexts"), text);
    assertTrue(
        text.contains("  2h03m unknown\n          fits, but slurm:99 has a higher priority;"),
        text);
    assertTrue(text.contains("     0s granted\n  0 "), text);
  }

  /** Its memory comes back when it goes on: nobody would guess that. */
  @Test
  void aStoppedJobIsShownAsStopped() {
    String text = StatusText.of(Reports.report(Snapshots.busy(), Set.of(0, 2)), PLAIN);
    String words = text.replaceAll("\\s+", " ");
    assertTrue(words.contains("behind slurm:4711 (stopped, holds 9.3)"), text);
    assertTrue(words.contains("fits, but slurm:99 (stopped) has a higher priority"), text);
    assertTrue(words.contains("slurm:4711 is stopped"), text); // and no time when it ends
    assertTrue(text.matches("(?s).*slurm:4711 +alice +50 stopped .*"), text);
  }

  @Test
  void aJobOfAnotherUserIsNoReasonWithItsName() {
    RegionSnapshot busy = Snapshots.busy();
    StatusReport report =
        Reports.report(busy)
            .seenBy(new Principal(1001, true))
            .with(Reports.forecasts(busy, uid -> uid == 1001));
    String json = StatusJson.of(report);
    assertTrue(
        json.contains("\"why\": \"fits, but another user's job has a higher priority\""), json);
    assertFalse(json.contains("slurm:99"), json);
    assertFalse(json.contains("slurm:4711"), json);
  }

  @Test
  void rootAndEverybodyWherePrivateDataIsNoneSeeAll() {
    StatusReport report = chargedReport();
    assertSame(report, report.seenBy(new Principal(0, true)));
    assertSame(report, report.seenBy(new Principal(1002, false)));
    assertEquals(4, report.seenBy(new Principal(1002, true)).hidden().jobs());
  }

  @Test
  void whatNvmlDoesNotTellIsUnknownAndNotZero() {
    RegionSnapshot busy = Snapshots.busy();
    StatusReport report =
        Reports.report(busy, Overruns.of(busy, busy, Map.of(0, Overruns.Seen.NOTHING)));
    String unknown = "   unreserved: unknown, NVML or /proc hides what each process uses";
    assertEquals(
        2, StatusText.of(report, PLAIN).lines().filter(line -> line.equals(unknown)).count());
    assertTrue(StatusJson.of(report).contains("\"unreservedBytes\": null"));
    assertTrue(StatusJson.of(report).contains("\"seenForeignBytes\": null"));
  }

  @Test
  void textFitsIntoEightyColumns() {
    for (StatusReport report : List.of(Reports.report(Snapshots.busy()), chargedReport())) {
      StatusText.of(report, PLAIN).lines().forEach(l -> assertTrue(l.length() <= 80, l));
    }
  }

  @Test
  void textIsAsciiSoThatEveryTerminalShowsIt() {
    String text = StatusText.of(Reports.report(Snapshots.busy()), PLAIN);
    assertEquals(
        text, new String(text.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII));
  }

  @Test
  void damageIsNamed() {
    assertEquals(
        """
        /run/schedgpu: policy priority-fifo, 0 jobs, 0 waiting

        damaged: job record 3: mode 9: left out
        The region contains impossible numbers: run schedgpu doctor.
        """,
        StatusText.of(Reports.report(Snapshots.damaged()), PLAIN));
  }

  @Test
  void coloursChangeNothingElse() {
    StatusReport report = chargedReport();
    String coloured = StatusText.of(report, new Style(true));
    assertTrue(coloured.contains("\u001b[1m"));
    assertEquals(StatusText.of(report, PLAIN), coloured.replaceAll("\u001b\\[[0-9]*m", ""));
  }
}
