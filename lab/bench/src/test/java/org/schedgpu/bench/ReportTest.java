package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReportTest {
  private final Findings findings = Fixtures.findings();

  @Test
  void tableComparesWithLimitAndTarget() {
    assertEquals(
        """
        name                                 p50      p99    limit  ratio    target  met
        reserve-release              ns      250      300     10.0   25.0 <= 500 ns  yes
        reserve-release-256-attached ns      600      700      250   2.40    <= 2 x   NO
        hand-off                     us     22.0     90.0     20.0   1.10  <= 1.3 x  yes
        kill-to-waiter-agent         ms no agent
        """,
        ResultTable.text(findings));
  }

  @Test
  void missedTargetsAreReported() {
    assertEquals(
        """
        Targets that are missed:
          reserve-release-256-attached   2.40 x its limit, target <= 2 x
          queue-pass-fifo-1024           24.0 us, target <= 20 us
        """,
        ResultTable.missed(findings));
    assertEquals("All targets are met.\n", ResultTable.missed(new Findings()));
  }

  @Test
  void queueHasPoliciesBelowEachOther() {
    assertEquals(
        """
        A pass over the queue in which nobody can be served, us (p50)
        waiters                    1      1024
        fifo                   0.050      24.0
        priority-mmu           0.070         -

        A release that serves the whole queue, ns for each grant (p50)
        waiters                    1
        fifo                     210
        """,
        QueueTable.text(findings));
  }

  @Test
  void figureHasApproachesBesideEachOther() {
    assertEquals(
        """
        The paper's Figure 9: stages of the life cycle, us (p50 / p99)
                                           file-
                               ours         lock
        initialisation  40.0 / 60.0  25.0 / 50.0
        total           0.50 / 60.0  30.0 / 60.0
        """,
        Figure9Table.text(findings.stages()));
  }

  /**
   * The order of the whole bench: the server's own stages last, and only for approaches with a
   * server.
   */
  @Test
  void stagesStandInTheOrderOfALifeAndFitIntoALine() {
    List<StageTime> times = new ArrayList<>();
    for (String approach :
        List.of("ours", "file-lock", "mutex-condition", "client-server", "server-budget")) {
      for (String stage : List.of("initialisation", "post-free", "total")) {
        times.add(new StageTime(approach, stage, 1234, 56789));
      }
    }
    times.add(new StageTime("client-server", "server-stop", 1, 2));
    times.add(new StageTime("client-server", "server-start", 3, 4));

    List<String> lines = Figure9Table.text(times).lines().toList();

    assertEquals(
        List.of("server-start", "initialisation", "post-free", "server-stop", "total"),
        lines.stream().skip(3).map(line -> line.substring(0, 14).strip()).toList());
    assertEquals(
        List.of("server-start", "-", "-", "-", "3.00", "/", "4.00", "-"),
        List.of(lines.get(3).split("\\s+")));
    assertTrue(lines.stream().allMatch(line -> line.length() <= 80), lines::toString);
  }

  @Test
  void limitsAreReportedOnceForAFamily() {
    assertEquals(
        """
        Limits
          reserve-release, reserve-release-*-attached, hand-off, queue-pass-*,
              queue-grant-*: less
        """,
        LimitText.text(findings));
  }

  @Test
  void everyLineFitsInto80Columns() {
    List<String> tooLong =
        Bench.text(findings, Fixtures.MACHINE, true)
            .lines()
            .filter(line -> line.length() > 80)
            .toList();
    assertEquals(List.of(), tooLong);
  }

  @Test
  void quickRunSaysThatItsFiguresMeanNothing() {
    assertTrue(Bench.text(findings, Fixtures.MACHINE, true).contains("mean nothing"));
  }

  @Test
  void targetsAreThoseOfTheProject() {
    assertEquals(Optional.of(new Target(500, "ns")), Target.of("reserve-release"));
    assertEquals(Optional.of(new Target(40, "us")), Target.of("life-cycle"));
    assertEquals(Optional.of(new Target(1.3, "x")), Target.of("hand-off"));
    assertEquals(Optional.of(new Target(3, "x")), Target.of("in-budget-alloc"));
    assertEquals(Optional.of(new Target(5, "ns more")), Target.of("launch"));
    assertEquals(Optional.of(new Target(3, "%")), Target.of("shares-1-2-4"));
    assertEquals(Optional.of(new Target(0.5, "x")), Target.of("shared-memory"));
    assertEquals(Optional.of(new Target(2, "x")), Target.of("life-cycle-256-attached"));
    assertEquals(Optional.of(new Target(20, "us")), Target.of("queue-pass-mmu-1024"));
    assertEquals(Optional.empty(), Target.of("queue-pass-mmu-256"));
    assertEquals(Optional.empty(), Target.of("hooks"));
  }

  @Test
  void targetOfAnotherUnitIsNotCompared() {
    Measurement inOtherUnit = new Measurement("life-cycle", "ms", 1, 1, 1, "less");
    Target target = Target.of("life-cycle").orElseThrow();
    assertThrows(BenchException.class, () -> target.isMetBy(inOtherUnit));
  }
}
