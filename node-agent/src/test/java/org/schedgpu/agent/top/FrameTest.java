package org.schedgpu.agent.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.forecast.Estimate;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.agent.top.TopReport.JobRow;
import org.schedgpu.agent.top.TopReport.LaneRow;
import org.schedgpu.agent.top.TopReport.Others;
import org.schedgpu.agent.top.TopReport.WaiterRow;

/** {@code mvn test -Dschedgpu.regenerate=true} writes the golden files again: read them then. */
class FrameTest {
  private static final long GIB = 1L << 30;
  private static final long SECOND = 1_000_000_000L;
  private static final Others NOBODY = new Others(0, 0, 0);

  private static DeviceRow device(int index, boolean nvml) {
    return new DeviceRow(
        index,
        "GPU-" + index,
        "Emulated GPU " + index,
        true,
        5 * GIB,
        3 * GIB,
        2 * GIB,
        6 * GIB,
        16 * GIB,
        nvml ? OptionalLong.of(7 * GIB) : OptionalLong.empty(),
        nvml ? OptionalInt.of(87) : OptionalInt.empty(),
        2,
        1);
  }

  @Test
  void whatRunsUnscheduledIsBelowItsJob() {
    JobRow job = job(7, "alice", "train", 4);
    JobRow names =
        new JobRow(
            job.job(),
            job.uid(),
            job.user(),
            job.name(),
            job.priority(),
            job.mode(),
            job.state(),
            job.devices(),
            job.heldBytes(),
            job.inUseBytes(),
            job.peakBytes(),
            job.runningNs(),
            job.share(),
            List.of("4712 train, up to 716 MiB of device 0"));
    TopReport report =
        new TopReport(
            "n",
            "",
            "mmu",
            List.of(),
            List.of(names),
            List.of(),
            List.of(),
            new TopReport.Others(0, 0, 0),
            "");
    TopReport read = TopJson.report(TopJson.values(report), "");
    assertEquals(report, read);
    assertTrue(
        Frame.text(read, TerminalStyle.ASCII, 80)
            .contains("\n   unscheduled: 4712 train, up to 716 MiB of device 0\n"));
  }

  private static JobRow job(long id, String user, String name, long gib) {
    return job(id, user, name, gib, OptionalLong.empty());
  }

  private static JobRow job(long id, String user, String name, long gib, OptionalLong share) {
    return new JobRow(
        "slurm:" + id,
        1000,
        user,
        name,
        50,
        "peak",
        gib == 0 ? "waits" : "holds",
        Set.of(0),
        gib * GIB,
        gib * GIB / 2,
        gib == 0 ? OptionalLong.empty() : OptionalLong.of(gib * GIB * 3 / 4),
        id * 60 * SECOND,
        share,
        List.of());
  }

  private static WaiterRow waiter(int place, long id, String name, Estimate estimate) {
    return new WaiterRow(
        "slurm:" + id,
        1000,
        "alice",
        name,
        50,
        0,
        Set.of(0),
        "budget",
        place,
        6 * GIB,
        place * 65L * SECOND,
        "needs 6.0 GiB, 3.2 free; behind slurm:12 (holds 8.0) and 2 more",
        estimate);
  }

  private static Estimate about(long minutes) {
    OptionalLong ns = OptionalLong.of(minutes * 60 * SECOND);
    return new Estimate(ns, ns, Optional.empty(), OptionalLong.empty());
  }

  private static Estimate unknown() {
    return new Estimate(
        OptionalLong.of(0),
        OptionalLong.empty(),
        Optional.of("slurm:12 has never run before"),
        OptionalLong.empty());
  }

  private static TopReport report(
      List<DeviceRow> devices, List<JobRow> jobs, List<WaiterRow> waiters, Others others) {
    return new TopReport("node7", "14:03:07", "mmu", devices, jobs, waiters, List.of(), others, "");
  }

  /** Two lanes, the turn of the second is of nobody. */
  private static TopReport withLanes() {
    return new TopReport(
        "node7",
        "14:03:07",
        "fifo",
        List.of(device(0, true)),
        List.of(
            job(12, "alice", "train-bert", 4, OptionalLong.of(1000)), job(13, "bob", "infer", 4)),
        List.of(),
        List.of(
            new LaneRow(
                0, 0, "fair", 11 * GIB, 3, 2, 123456, Optional.of("slurm:1234567890123"), SECOND),
            new LaneRow(127, 0, "srtf", GIB, 1, 0, 0, Optional.empty(), 0)),
        NOBODY,
        "");
  }

  private static TopReport busy() {
    return report(
        List.of(device(0, true), device(1, true)),
        List.of(
            job(12, "alice", "train-bert", 8),
            job(13, "bob", "infer", 4),
            job(14, "alice", "resnet", 0)),
        List.of(waiter(1, 14, "resnet", about(4)), waiter(2, 15, "train-bert", unknown())),
        new Others(2, 3 * GIB, 1));
  }

  /** Everything shown fits, and every line of the screen exists. */
  private static String frame(
      TopReport report, View view, TerminalStyle look, int width, int height) {
    List<AttributedString> lines = Frame.of(report, view, look, width, height);
    assertEquals(height, lines.size());
    lines.forEach(line -> assertTrue(line.columnLength() <= width, line::toString));
    return lines.stream()
        .map(line -> line.toString().stripTrailing() + "\n")
        .collect(Collectors.joining());
  }

  private static String frame(TopReport report, int width, int height) {
    return frame(report, new View(), TerminalStyle.UNICODE, width, height);
  }

  private static void assertGolden(String name, String actual) throws IOException {
    Path file = Path.of("src/test/resources/top", name + ".txt");
    if (Boolean.getBoolean("schedgpu.regenerate")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, actual);
    }
    assertEquals(Files.readString(file), actual);
  }

  @Test
  void aBusyNodeFitsIntoTheSmallestScreen() throws IOException {
    assertGolden("busy-80x24", frame(busy(), 80, 24));
  }

  @Test
  void lanesAreATableBelowTheWaiters() throws IOException {
    assertGolden("lanes-80x24", frame(withLanes(), 80, 24));
    assertFalse(frame(busy(), 80, 24).contains("LANE"));
  }

  /** Those that wait for a turn wait, too. */
  @Test
  void nobodyWaitsOnlyIfNobodyWaitsForATurn() {
    String frame = frame(withLanes(), 80, 24);
    assertTrue(frame.contains("Nobody waits for memory; 2 processes wait for a turn."), frame);
    assertTrue(frame.contains("  2 waiting"), frame);
    assertTrue(
        frame(report(List.of(), List.of(), List.of(), NOBODY), 80, 24).contains("Nobody waits."));
  }

  @Test
  void lanesAreInTheJsonIfThereAreAny() {
    assertEquals(withLanes(), TopJson.report(TopJson.values(withLanes()), "14:03:07"));
    assertFalse(TopJson.values(busy()).containsKey("lanes"));
  }

  @Test
  void aWideScreenShowsMore() throws IOException {
    assertGolden("busy-120x40", frame(busy(), 120, 40));
  }

  @Test
  void anEmptyNodeSaysSo() throws IOException {
    assertGolden(
        "empty-80x24",
        frame(report(List.of(device(0, true)), List.of(), List.of(), NOBODY), 80, 24));
  }

  @Test
  void sixteenDevicesHaveALineEachAndTheRestIsCounted() throws IOException {
    TopReport many =
        report(
            IntStream.range(0, 16).mapToObj(i -> device(i, true)).toList(),
            List.of(job(12, "alice", "train", 8)),
            List.of(),
            NOBODY);
    assertGolden("devices-80x24", frame(many, 80, 24));
    assertGolden("devices-120x40", frame(many, 120, 40));
  }

  private static TopReport hundred() {
    return report(
        List.of(device(0, true)),
        List.of(job(12, "alice", "train", 8)),
        IntStream.rangeClosed(1, 100).mapToObj(i -> waiter(i, 100 + i, "sweep", about(i))).toList(),
        NOBODY);
  }

  @Test
  void ofAHundredWaitersTheFirstAreShown() throws IOException {
    assertGolden("waiters-80x24", frame(hundred(), 80, 24));
  }

  @Test
  void scrollingEndsWithTheLastLine() throws IOException {
    View view = new View();
    view.scrollBy(1_000_000);
    String end = frame(hundred(), view, TerminalStyle.UNICODE, 80, 24);
    assertTrue(end.contains("slurm:200"), end);
    view.scrollBy(-1);
    assertFalse(frame(hundred(), view, TerminalStyle.UNICODE, 80, 24).equals(end));
  }

  @Test
  void longNamesAreCutAndNothingInThemMovesTheCursor() throws IOException {
    JobRow nasty = job(1234567890123L, "averylongusername", "a\u001b[2J\u0007\nname".repeat(9), 8);
    assertGolden(
        "names-80x24",
        frame(report(List.of(device(0, true)), List.of(nasty), List.of(), NOBODY), 80, 24));
  }

  @Test
  void wideCharactersCountTwice() {
    JobRow wide = job(1, "ユーザー名前", "訓練プログラム訓練プログラム", 8);
    frame(report(List.of(device(0, true)), List.of(wide), List.of(), NOBODY), 80, 24);
  }

  @Test
  void withoutNvmlItsNumbersAreNotThere() throws IOException {
    assertGolden(
        "nvml-80x24",
        frame(report(List.of(device(0, false)), List.of(), List.of(), NOBODY), 80, 24));
  }

  @Test
  void withoutARegionItSaysWhatToDo() throws IOException {
    assertGolden(
        "nothing-80x24",
        frame(
            TopReport.nothing(
                "node7",
                "14:03:07",
                "schedgpu: cannot open /run/schedgpu: no region on this node: was the prolog or"
                    + " `schedgpu setup` run?"),
            80,
            24));
  }

  @Test
  void theHelpNamesTheKeys() throws IOException {
    View view = new View();
    view.helpOrBack();
    assertGolden("help-80x24", frame(busy(), view, TerminalStyle.UNICODE, 80, 24));
  }

  @Test
  void aTerminalWithoutUnicodeGetsAscii() throws IOException {
    String frame = frame(busy(), new View(), TerminalStyle.ASCII, 80, 24);
    assertEquals(
        frame, new String(frame.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII));
    assertGolden("ascii-80x24", frame);
  }

  @Test
  void evenATinyScreenIsDrawn() {
    for (int width : List.of(1, 10, 20, 40)) {
      frame(busy(), width, 3);
      frame(busy(), width, 10);
    }
  }

  @Test
  void oneDeviceAloneHidesTheOthersJobs() {
    View view = new View();
    view.nextDevice(List.of(0, 1));
    assertTrue(frame(busy(), view, TerminalStyle.UNICODE, 80, 24).contains("train-bert"));
    view.nextDevice(List.of(0, 1));
    String second = frame(busy(), view, TerminalStyle.UNICODE, 80, 24);
    assertFalse(second.contains("train-bert"), second);
    assertFalse(second.contains("Emulated GPU 0"), second);
    view.nextDevice(List.of(0, 1));
    assertEquals(frame(busy(), 80, 24), frame(busy(), view, TerminalStyle.UNICODE, 80, 24));
  }

  @Test
  void jobsAreSortedAsChosen() {
    View view = new View();
    assertTrue(order(view).startsWith("slurm:12 "), order(view));
    view.sortOtherwise();
    view.sortOtherwise();
    assertTrue(order(view).startsWith("slurm:14 "), order(view));
  }

  private static String order(View view) {
    return frame(busy(), view, TerminalStyle.UNICODE, 80, 24)
        .lines()
        .filter(line -> line.startsWith(" slurm:"))
        .map(line -> line.strip().split(" ", 2)[0] + " ")
        .collect(Collectors.joining());
  }

  @Test
  void theBarIsAsLongAsItShouldBe() {
    String bar = frame(busy(), 80, 24).lines().skip(2).findFirst().orElseThrow();
    assertEquals(15, bar.chars().filter(c -> c == '\u2588').count(), bar);
    assertEquals(9, bar.chars().filter(c -> c == '\u2593').count(), bar);
    assertEquals(5, bar.chars().filter(c -> c == '\u2592').count(), bar);
    assertEquals(18, bar.chars().filter(c -> c == '\u2591').count(), bar);
  }

  @Test
  void asTextThereAreNoKeysAndNoEscapes() throws IOException {
    String text = Frame.text(busy(), TerminalStyle.UNICODE, 120);
    assertFalse(text.contains("\u001b"));
    assertGolden("once", text);
  }

  @Test
  void theLocaleDecidesAboutUnicode() {
    assertEquals(TerminalStyle.UNICODE, TerminalStyle.of(java.util.Map.of("LANG", "de_DE.UTF-8")));
    assertEquals(
        TerminalStyle.UNICODE, TerminalStyle.of(java.util.Map.of("LC_ALL", "", "LANG", "C.utf8")));
    assertEquals(
        TerminalStyle.ASCII,
        TerminalStyle.of(java.util.Map.of("LC_ALL", "C", "LANG", "de_DE.UTF-8")));
    assertEquals(TerminalStyle.ASCII, TerminalStyle.of(java.util.Map.of()));
  }
}
