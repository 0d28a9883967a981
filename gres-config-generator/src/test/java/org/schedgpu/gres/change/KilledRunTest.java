package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;

/** Runs that end at every point, one after the other. */
class KilledRunTest {
  /** The number of points is at least this: the enumeration did not end early. */
  private static final int MIN_POINTS = 60;

  @TempDir(factory = MemoryFolder.class)
  Path base;

  private int fixtures;

  /** The action under test; true if it reached its end. */
  private interface Run {
    void with(ConfigChanges changes, ConfigFixture fixture) throws IOException;
  }

  private ConfigFixture fixture() throws IOException {
    return new ConfigFixture(Files.createDirectories(base.resolve("f" + fixtures++)));
  }

  private static void apply(ConfigChanges changes, ConfigFixture fixture) {
    changes.apply(fixture.requested(), false);
  }

  private static void revert(ConfigChanges changes, ConfigFixture fixture) {
    changes.revert(Optional.empty(), false);
  }

  /** Reverts, if the run before made a change that can be reverted. */
  private static void revertIfBegun(ConfigChanges changes, ConfigFixture fixture)
      throws IOException {
    if (changes.list().isEmpty()) {
      changes.apply(fixture.requested(), false);
    }
    revert(changes, fixture);
  }

  private static boolean killed(Run run, ConfigFixture fixture, int point) throws IOException {
    StoppingDisk disk = StoppingDisk.killedAt(point, fixture::assertEachOldOrNew);
    try {
      run.with(fixture.changes(disk), fixture);
      return false;
    } catch (StoppingDisk.Killed e) {
      fixture.assertEachOldOrNew();
      return true;
    }
  }

  /** Kills {@code run} at every point and lets {@code next} follow. */
  private void everywhere(boolean applied, Run run, Run next, Run check) throws IOException {
    int point = 1;
    for (; ; point++) {
      ConfigFixture fixture = fixture();
      if (applied) {
        apply(fixture.changes(), fixture);
      }
      if (!killed(run, fixture, point)) {
        break;
      }
      next.with(fixture.changes(), fixture);
      check.with(fixture.changes(), fixture);
    }
    assertTrue(point > MIN_POINTS, "points: " + point);
  }

  @Test
  void killedApplyIsFinishedByTheNextAndCanBeReverted() throws IOException {
    everywhere(
        false,
        KilledRunTest::apply,
        KilledRunTest::apply,
        (changes, fixture) -> {
          fixture.assertNew();
          assertEquals(1, changes.list().size(), "one backup");
          revert(changes, fixture);
          fixture.assertOld();
        });
  }

  @Test
  void killedApplyIsUndoneByRevert() throws IOException {
    everywhere(
        false,
        KilledRunTest::apply,
        KilledRunTest::revertIfBegun,
        (changes, fixture) -> fixture.assertOld());
  }

  @Test
  void killedRevertIsFinishedByTheNext() throws IOException {
    everywhere(
        true,
        KilledRunTest::revert,
        KilledRunTest::revert,
        (changes, fixture) -> fixture.assertOld());
  }

  @Test
  void killedRevertIsFinishedBeforeAnApply() throws IOException {
    everywhere(
        true,
        KilledRunTest::revert,
        KilledRunTest::apply,
        (changes, fixture) -> {
          fixture.assertNew();
          revert(changes, fixture);
          fixture.assertOld();
        });
  }

  /** The run that repairs an interrupted one is killed, too, at each of its own points. */
  @Test
  void killedRecoveryIsRecovered() throws IOException {
    int middle = pointsOfApply() * 3 / 4;
    for (Run recovery : new Run[] {KilledRunTest::apply, KilledRunTest::revert}) {
      boolean more = true;
      for (int point = 1; more; point++) {
        ConfigFixture fixture = fixture();
        assertTrue(killed(KilledRunTest::apply, fixture, middle));
        more = killed(recovery, fixture, point);
        revert(fixture.changes(), fixture);
        fixture.assertOld();
      }
    }
  }

  private int pointsOfApply() throws IOException {
    ConfigFixture fixture = fixture();
    StoppingDisk disk = StoppingDisk.killedAt(Integer.MAX_VALUE, () -> {});
    apply(fixture.changes(disk), fixture);
    return disk.points();
  }

  /** One operation fails: the run leaves all files old, or all new, and reports it. */
  @Test
  void failedOperationLeavesTheWholeSetOldOrNew() throws IOException {
    boolean more = true;
    for (int point = 1; more; point++) {
      ConfigFixture fixture = fixture();
      StoppingDisk disk = StoppingDisk.fullAt(point, point, fixture::assertEachOldOrNew);
      try {
        apply(fixture.changes(disk), fixture);
        fixture.assertNew();
      } catch (GresException e) {
        assertTrue(e.getMessage().contains("(no space left on device)"), e.getMessage());
        if (e.getMessage().contains("as they were") || e.getMessage().contains("no file was")) {
          fixture.assertOld();
        }
      }
      fixture.assertEachOldOrNew();
      more = disk.wasReached();
      apply(fixture.changes(), fixture);
      fixture.assertNew();
    }
  }

  /** From a point on, nothing can be written: the next run must repair it. */
  @Test
  void diskThatStaysFullLeavesWhatTheNextRunFinishes() throws IOException {
    boolean more = true;
    for (int point = 1; more; point++) {
      ConfigFixture fixture = fixture();
      StoppingDisk disk =
          StoppingDisk.fullAt(point, Integer.MAX_VALUE, fixture::assertEachOldOrNew);
      try {
        apply(fixture.changes(disk), fixture);
      } catch (GresException e) {
        assertTrue(e.getMessage().contains("(no space left on device): make room and repeat"));
      }
      fixture.assertEachOldOrNew();
      more = disk.wasReached();
      apply(fixture.changes(), fixture);
      fixture.assertNew();
    }
  }
}
