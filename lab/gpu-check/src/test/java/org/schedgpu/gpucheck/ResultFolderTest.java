package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFolderTest {
  private static final Machine MACHINE =
      new Machine(0, "GPU-1", "NVIDIA H100", 80L << 30, 1 << 30, 600 << 20, 132, 13000, "580.1");

  @TempDir Path folder;
  @TempDir Path work;

  private static Finding finding(String check, Outcome outcome) {
    return new Finding("starts", check, outcome, "a result", Map.of());
  }

  private static Run.Result result(Finding... findings) {
    return new Run.Result(
        MACHINE,
        Frameworks.none("not looked for"),
        List.of(findings),
        List.of(new StartCheck()),
        List.of(new Run.Spent("starts", 12.5, 35)));
  }

  private String errors() throws IOException {
    return Files.readString(folder.resolve("errors.txt"));
  }

  @Test
  void resultsAreThereAfterEachFinding() throws IOException {
    ResultFolder results = new ResultFolder(folder, false);
    results.write(result(finding("one", Outcome.PASSED)));
    results.write(result(finding("one", Outcome.PASSED), finding("two", Outcome.NOT_DONE)));
    JsonNode json = new ObjectMapper().readTree(folder.resolve("result.json").toFile());
    assertEquals("not_done", json.path("findings").get(1).path("outcome").asText());
    assertEquals(12.5, json.path("sections").get(0).path("seconds").asDouble());
    String text = Files.readString(folder.resolve("result.txt"));
    assertTrue(text.contains("  time two: a result"), text);
    assertTrue(text.contains("starts: 12.5 s of 35 s"), text);
    assertTrue(text.contains("0 failed, 0 measured, 0 skipped, 1 not done"), text);
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(2, files.count(), "no file that is half written");
    }
  }

  @Test
  void whatProgramsOfAFailedCheckSaidStays() throws IOException {
    ResultFolder results = new ResultFolder(folder, false);
    Path quiet = Files.createFile(work.resolve("quiet-1.err"));
    Path program = Files.writeString(work.resolve("a_program-123.err"), "of a check that passed\n");
    results.keepErrors(finding("fine", Outcome.PASSED), work);
    assertFalse(Files.exists(folder.resolve("errors.txt")));
    Files.writeString(program, "of a check that passed\nthe reason\n");
    results.keepErrors(finding("broken", Outcome.FAILED), work);
    assertTrue(errors().contains("== starts, broken (FAIL): a_program\nthe reason\n"), errors());
    assertFalse(errors().contains("passed"), errors());
    Files.writeString(quiet, "too late\n");
    results.keepErrors(finding("late", Outcome.NOT_DONE), work);
    assertTrue(errors().contains("== starts, late (time): quiet\ntoo late\n"), errors());
  }

  @Test
  void allIsKeptWhereAFailureIsRepeated() throws IOException {
    ResultFolder results = new ResultFolder(folder, true);
    Files.writeString(work.resolve("a_program-1.err"), "a remark\n");
    results.keepErrors(finding("fine", Outcome.PASSED), work);
    assertTrue(errors().contains("== starts, fine (pass): a_program\na remark\n"), errors());
  }

  @Test
  void endlessComplaintsAreCutToTheirEnd() throws IOException {
    ResultFolder results = new ResultFolder(folder, false);
    Files.writeString(work.resolve("a_program-1.err"), "x".repeat(10 << 20) + "the end");
    results.keepErrors(finding("broken", Outcome.FAILED), work);
    assertTrue(Files.size(folder.resolve("errors.txt")) < 70_000);
    assertTrue(errors().contains("the end"));
  }

  @Test
  void aDeviceThatCannotBeUsedIsShownThoughNoSectionRan() {
    Finding first = new Finding("machine", "a context", Outcome.FAILED, "error 999", Map.of());
    String text = Report.whole(result(first));
    assertTrue(text.contains("machine"), text);
    assertTrue(text.contains("  FAIL a context: error 999"), text);
  }

  @Test
  void runningOutOfTimeIsNoFailure() {
    assertEquals(0, Suite.exitCode(result(finding("one", Outcome.SKIPPED))));
    assertEquals(3, Suite.exitCode(result(finding("one", Outcome.NOT_DONE))));
    assertEquals(
        1,
        Suite.exitCode(result(finding("one", Outcome.NOT_DONE), finding("two", Outcome.FAILED))));
  }
}
