package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CheckTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private final List<Finding> shown = new ArrayList<>();

  private Check check(Duration left, Mode mode) {
    Findings findings = new Findings("starts", shown::add);
    return new Check(null, null, null, null, findings, Deadline.in(left), mode, false, null);
  }

  private String only() {
    assertEquals(1, shown.size(), shown::toString);
    return shown.get(0).outcome().mark() + " " + shown.get(0).result();
  }

  @Test
  void aCheckWithoutTimeDoesNotBegin() throws InterruptedException {
    check(Duration.ofSeconds(5), Mode.ALL)
        .step(
            "late",
            HOUR,
            () -> {
              throw new AssertionError("it began");
            });
    assertEquals("time not done: no time left", only());
  }

  @Test
  void whatWasCutOffIsNotDoneAndWhatBrokeFailed() throws InterruptedException {
    check(HOUR, Mode.ALL)
        .step(
            "cut off",
            Duration.ZERO,
            () -> {
              throw new OutOfTime("a program did not answer");
            });
    assertEquals("time not done: a program did not answer", only());
    shown.clear();
    check(HOUR, Mode.ALL)
        .step(
            "broken",
            Duration.ZERO,
            () -> {
              throw new CheckException("a program crashed");
            });
    assertEquals("FAIL a program crashed", only());
  }

  @Test
  void theFirstRunShowsWhatLaterOnesJudge() {
    check(HOUR, Mode.FIRST).judgeLater("books", false, "two numbers", Map.of());
    assertTrue(only().startsWith("info two numbers (more than allowed"), this::only);
    shown.clear();
    check(HOUR, Mode.ALL).judgeLater("books", false, "two numbers", Map.of());
    assertEquals("FAIL two numbers", only());
  }

  @Test
  void waitsThatEndWithTheTimeAreNoFailures() {
    assertTrue(check(Duration.ZERO, Mode.ALL).late("nobody came") instanceof OutOfTime);
    assertTrue(!(check(HOUR, Mode.ALL).late("nobody came") instanceof OutOfTime));
  }
}
