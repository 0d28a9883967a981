package org.schedgpu.agent.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.conf.WaitAction;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.wait.WaitLimits.Settings;
import org.schedgpu.jna.RegionSnapshot;
import org.slf4j.LoggerFactory;

/**
 * What the agent does in Slurm for the jobs of a snapshot: 4711 holds, 99 waits for 65 s, and a
 * third one for two hours. Slurm is a fake.
 */
class WaitsTest {
  private static final long NOW = Snapshots.NOW;
  private static final long SECOND = Snapshots.SECOND;
  private static final long MINUTE = 60 * SECOND;
  private static final long THIRD = 1234567890123L;
  private static final long DAY = 1440 * MINUTE;
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(WaitsTest.class);

  @TempDir Path folder;

  private final FakeSlurm slurm = new FakeSlurm();
  private final RegionSnapshot busy = Snapshots.busy();
  private String clock = "2026-11-01T10:06:00"; // of the machine, as Slurm's starts of jobs
  private Attempts attempts;
  private TimeLimits limits;
  private Exclusions exclusions;

  @BeforeEach
  void start() {
    Logger.getLogger(WaitsTest.class.getName()).setUseParentHandlers(false);
    slurm.put(4711, "RUNNING", 10, 1, "");
    slurm.put(99, "RUNNING", 5, 1, "");
    restart();
  }

  /** As another agent: what it knows is in files. */
  private void restart() {
    attempts = new Attempts(LOG);
    limits = new TimeLimits(slurm, folder, true, () -> LocalDateTime.parse(clock));
    exclusions = new Exclusions(slurm, "n1", folder.resolve("requeued"));
  }

  /** Looks so many seconds later. */
  private void look(long seconds) {
    look(seconds, DAY);
  }

  private void look(long seconds, long mostNs) {
    attempts.begin(seconds * SECOND);
    limits.look(busy, NOW + seconds * SECOND, mostNs, attempts, seconds * SECOND);
  }

  @Test
  void aLimitIsExtendedByWholeMinutesAndAheadOfTheWait() {
    look(0);
    assertEquals(List.of("limit 99 7"), slurm.done, "65 s are two minutes");
    look(30);
    assertEquals(1, slurm.done.size(), "95 s, too");
    look(56);
    assertEquals(List.of("limit 99 7", "limit 99 8"), slurm.done, "121 s are three");
    assertEquals(Map.of(99L, 3 * MINUTE), TimeLimits.extendedNs(folder));
  }

  @Test
  void noLimitIsExtendedBeyondTheMost() {
    look(0, MINUTE);
    look(3600, MINUTE);
    assertEquals(List.of("limit 99 6"), slurm.done);
  }

  @Test
  void aJobWithoutALimitIsLeftAlone() {
    slurm.put(99, "RUNNING", -1, 1, "");
    look(0);
    assertEquals(List.of(), slurm.done);
    assertEquals(Map.of(), TimeLimits.extendedNs(folder));
  }

  @Test
  void anAgentThatStartsAgainExtendsNothingTwice() {
    look(0);
    restart();
    look(10);
    assertEquals(List.of("limit 99 7"), slurm.done);
  }

  /** It dies after it has noted what it means to set, before or after Slurm has done it. */
  @Test
  void anAgentThatIsKilledMeanwhileExtendsOnce() throws Exception {
    slurm.refuses = "limit";
    look(0);
    slurm.refuses = "";
    Path file = folder.resolve("limits");
    String intended = Files.readString(file);
    assertTrue(intended.contains(" 5 5 7 "), intended);
    restart();
    slurm.put(99, "RUNNING", 7, 1, "");
    look(10);
    assertEquals(List.of(), slurm.done, "Slurm had done it");
    Files.writeString(file, intended);
    restart();
    slurm.put(99, "RUNNING", 5, 1, "");
    look(10);
    assertEquals(List.of("limit 99 7"), slurm.done);
  }

  @Test
  void whatSlurmRefusedIsTriedAgainLater() {
    slurm.refuses = "limit";
    look(0);
    slurm.refuses = "";
    look(30);
    assertEquals(List.of(), slurm.done, "it pauses");
    look(61);
    assertEquals(List.of("limit 99 8"), slurm.done);
  }

  /** Somebody shortens the limit by two minutes, or gives five more: both stay. */
  @Test
  void whatSomebodyElseSetsStays() {
    look(0);
    slurm.put(99, "RUNNING", 5, 1, "");
    look(60);
    slurm.put(99, "RUNNING", 11, 1, "");
    look(120);
    assertEquals(List.of("limit 99 7", "limit 99 6", "limit 99 12"), slurm.done);
  }

  /** On two nodes the longest wait counts, not the sum: another agent has set 9. */
  @Test
  void theAgentsOfAJobOverSeveralNodesDoNotAddUp() {
    slurm.put(99, "RUNNING", 5, 2, "");
    look(0);
    slurm.put(99, "RUNNING", 9, 2, "");
    look(60);
    look(180);
    assertEquals(List.of("limit 99 7", "limit 99 10"), slurm.done);
  }

  @Test
  void waitsSideBySideCountOnce() {
    LimitRecord job = LimitRecord.fresh(1, NOW, 1, 5, 0).look(8 * MINUTE, NOW + MINUTE, true);
    assertEquals(MINUTE, job.waitedNs());
    assertEquals(
        MINUTE + 30 * SECOND, job.look(9 * MINUTE, NOW + MINUTE + 30 * SECOND, true).waitedNs());
    assertEquals(MINUTE, job.look(8 * MINUTE, NOW + 9 * MINUTE, true).waitedNs());
  }

  private void lookAt(RegionSnapshot snapshot, long seconds) {
    attempts.begin(seconds * SECOND);
    limits.look(snapshot, NOW + seconds * SECOND, MINUTE, attempts, seconds * SECOND);
  }

  /** With CompensateMost=1m a limit of 5 minutes became 12: each run added its minute. */
  @Test
  void aRequeuedJobGetsItsOwnLimitBack() {
    RegionSnapshot empty =
        Snapshots.snapshot(busy.devices(), List.of(), List.of(), List.of(), List.of());
    for (int run = 0; run < 3; run++) {
      slurm.put(99, "RUNNING", 5, 1, "");
      lookAt(busy, 0);
      slurm.put(99, "PENDING", 6, 1, "");
      restart();
      lookAt(empty, 10);
      lookAt(empty, 20);
    }
    assertEquals(
        List.of("limit 99 6", "limit 99 5", "limit 99 6", "limit 99 5", "limit 99 6", "limit 99 5"),
        slurm.done);
  }

  /** It runs again here before the agent has looked: the run that goes on is not shortened. */
  @Test
  void theNextRunBeginsWithTheLimitOfTheUser() {
    lookAt(busy, 0);
    LimitRecord again = LimitRecord.fresh(99, NOW, 1, 5, 0).with(5, 6, 6).again(NOW + 1, 6, 0);
    assertEquals(5, again.baseMinutes());
    assertEquals(
        8, LimitRecord.fresh(99, NOW, 1, 5, 0).with(5, 6, 6).again(NOW + 1, 9, 0).baseMinutes());
    RegionSnapshot empty =
        Snapshots.snapshot(busy.devices(), List.of(), List.of(), List.of(), List.of());
    lookAt(empty, 10);
    assertEquals(List.of("limit 99 6"), slurm.done);
  }

  private void lookWithoutJobs(long seconds) {
    lookAt(Snapshots.snapshot(busy.devices(), List.of(), List.of(), List.of(), List.of()), seconds);
  }

  private String last() {
    return slurm.done.get(slurm.done.size() - 1);
  }

  /** Its user makes it run elsewhere before the agent looks, or after it has ended. */
  @Test
  void aJobThatRunsAgainElsewhereLosesWhatItGotHere() {
    look(0);
    slurm.put(99, "COMPLETED", 7, 1, "");
    lookWithoutJobs(5);
    restart();
    slurm.start = "2026-11-01T10:05:00";
    slurm.put(99, "RUNNING", 7, 1, "");
    lookWithoutJobs(40);
    assertEquals(List.of("limit 99 7", "limit 99 5"), slurm.done);
  }

  /** Slurm would end it at once. */
  @Test
  void aJobThatHasRunForItsOwnLimitIsNotEnded() {
    look(0);
    slurm.put(99, "COMPLETED", 7, 1, "");
    lookWithoutJobs(5);
    clock = "2026-11-01T10:09:00";
    slurm.start = "2026-11-01T10:05:00";
    slurm.put(99, "RUNNING", 7, 1, "");
    lookWithoutJobs(40);
    assertEquals(List.of("limit 99 7"), slurm.done);
  }

  /** He would else keep the rest of what was added, again and again. */
  @Test
  void whatItsUserHasTakenOffIsNotGivenBack() {
    look(0);
    slurm.put(99, "PENDING", 6, 1, "");
    lookWithoutJobs(5);
    assertEquals("limit 99 4", last());
    assertEquals(4, LimitRecord.fresh(99, NOW, 1, 5, 0).with(5, 7, 7).without(6));
  }

  /** The region has lost its record: nothing is taken from a run that goes on. */
  @Test
  void aRunThatGoesOnKeepsItsLimit() {
    look(0);
    lookWithoutJobs(5);
    lookWithoutJobs(60);
    slurm.put(99, "COMPLETING", 7, 1, "");
    lookWithoutJobs(120);
    assertEquals(List.of("limit 99 7"), slurm.done);
    slurm.jobs.remove(99L);
    lookWithoutJobs(180);
    assertEquals(Map.of(), TimeLimits.extendedNs(folder));
  }

  @Test
  void anAgentThatIsKilledTakesNothingBackTwice() {
    look(0);
    slurm.put(99, "PENDING", 7, 1, "");
    slurm.refuses = "limit";
    lookWithoutJobs(5);
    slurm.refuses = "";
    lookWithoutJobs(70);
    assertEquals("limit 99 5", last());
    restart();
    lookWithoutJobs(140);
    assertEquals(2, slurm.done.size());
  }

  @Test
  void eachNodeOfSeveralTakesItsOwnPartBack() {
    LimitRecord job = LimitRecord.fresh(1, NOW, 2, 5, 0).with(5, 7, 7);
    assertEquals(5, job.without(7));
    assertEquals(5, job.without(5), "another agent was faster");
    assertEquals(9, job.without(9), "another agent's");
  }

  /** What does not fit beside the job's own memory waits for no other job. */
  @Test
  void aWaitForItsOwnMemoryDoesNotCount() {
    LimitRecord job = LimitRecord.fresh(1, NOW, 1, 5, 0).look(8 * MINUTE, NOW + MINUTE, false);
    assertEquals(0, job.waitedNs());
    assertEquals(MINUTE, job.look(9 * MINUTE, NOW + 2 * MINUTE, true).waitedNs());
    Shares shares = new Shares(busy);
    Map<Long, Boolean> forOthers = new TreeMap<>();
    busy.jobs().forEach(one -> forOthers.put(one.id(), waits(shares, one, 1).forOthers()));
    assertEquals(Map.of(31L, true, 99L, true, 4711L, true, THIRD, true), forOthers);
    RegionSnapshot.Job run = busy.jobs().stream().filter(one -> one.id() == 31).findFirst().get();
    assertFalse(waits(shares, run, 13).forOthers(), "13 GiB beside its 3.5 of 15");
  }

  /** Of the job's requests the context of run:31 becomes a request of so many GiB. */
  private JobWait waits(Shares shares, RegionSnapshot.Job job, int gib) {
    List<RegionSnapshot.Waiter> waiters =
        busy.waiters().stream()
            .map(
                w ->
                    w.ticket() == 7 && gib > 1
                        ? Snapshots.waiter(
                            5,
                            4,
                            RegionSnapshot.Request.ONDEMAND,
                            1,
                            7,
                            gib * Snapshots.GIB,
                            List.of(0),
                            1)
                        : w)
            .toList();
    RegionSnapshot now =
        Snapshots.snapshot(busy.devices(), busy.jobs(), busy.clients(), waiters, List.of());
    return JobWait.of(now, gib > 1 ? new Shares(now) : shares, job, NOW);
  }

  private void limitWaits(Settings settings, RegionSnapshot fresh) {
    attempts.begin(0);
    new WaitLimits(() -> fresh, slurm, "n1", exclusions).look(busy, NOW, settings, attempts, 0);
  }

  private static Settings settings(long waitS, long severalS, WaitAction action) {
    return new Settings(
        waitS == 0 ? OptionalLong.empty() : OptionalLong.of(waitS * SECOND),
        severalS == 0 ? OptionalLong.empty() : OptionalLong.of(severalS * SECOND),
        action);
  }

  @Test
  void aJobThatWaitedTooLongGoesBackIsMarkedAndDoesNotComeBackAtOnce() {
    limitWaits(settings(65, 0, WaitAction.REQUEUE), busy);
    assertEquals(
        List.of("mark 99 schedgpu: waited 1m05s for memory of n1, requeued", "requeue 99"),
        slurm.done);
    restart();
    exclusions.look(attempts, 0, 0);
    assertEquals("exclude 99 n1", slurm.done.get(2));
    exclusions.look(attempts, 0, 0);
    assertEquals(3, slurm.done.size());
    exclusions.look(attempts, 0, Long.MAX_VALUE / 2);
    assertEquals("admit 99 n1", slurm.done.get(3));
    assertTrue(exclusions.isEmpty());
  }

  /** Its clock begins anew. */
  @Test
  void aBootEndsAllExclusions() {
    Path file = folder.resolve("requeued");
    slurm.put(99, "PENDING", 5, 1, "");
    new Exclusions(slurm, "n1", file, "first-boot").put(new Excluded(99, 100, true));
    new Exclusions(slurm, "n1", file, "first-boot").look(attempts, 0, 99);
    assertEquals(List.of(), slurm.done);
    new Exclusions(slurm, "n1", file, "second-boot").look(attempts, 0, 1);
    assertEquals(List.of("admit 99 n1"), slurm.done);
    assertTrue(new Exclusions(slurm, "n1", file, "second-boot").isEmpty());
  }

  /** Slurm changes no job that runs: asked again in ten minutes. */
  @Test
  void whileAJobRunsItsExclusionStays() {
    Exclusions some = new Exclusions(slurm, "n1", folder.resolve("requeued"), "boot");
    some.put(new Excluded(99, 100, true));
    slurm.put(99, "RUNNING", 5, 1, "");
    some.look(attempts, 0, 100);
    slurm.put(99, "PENDING", 5, 1, "");
    some.look(attempts, 0, 100 + 600 * SECOND - 1);
    assertEquals(List.of(), slurm.done);
    some.look(attempts, 0, 100 + 600 * SECOND);
    assertEquals(List.of("admit 99 n1"), slurm.done);
  }

  /** The clock of the node may be set at any time. */
  @Test
  void anExclusionIsByTheClockThatNobodyCanSet() {
    long beforeNs = RegionSnapshot.nowNs();
    slurm.put(99, "RUNNING", 5, 1, "");
    limitWaits(settings(65, 0, WaitAction.REQUEUE), busy);
    slurm.put(99, "PENDING", 5, 1, "");
    exclusions.look(attempts, 0, beforeNs);
    exclusions.look(attempts, 0, beforeNs + 65 * SECOND - 1);
    assertEquals("exclude 99 n1", slurm.done.get(slurm.done.size() - 1));
    exclusions.look(attempts, 0, RegionSnapshot.nowNs() + 65 * SECOND);
    assertEquals("admit 99 n1", slurm.done.get(slurm.done.size() - 1));
  }

  @Test
  void itsNextRunHasTheTimeLimitOfTheUser() {
    look(0);
    limitWaits(settings(65, 0, WaitAction.REQUEUE), busy);
    exclusions.look(attempts, 0, 0);
    lookWithoutJobs(5);
    assertEquals("limit 99 5", last());
  }

  @Test
  void noJobGoesBackBeforeItsTimeOrAfterItHeldMemory() {
    limitWaits(settings(66, 0, WaitAction.REQUEUE), busy);
    slurm.put(THIRD, "COMPLETING", 5, 1, "");
    assertEquals(List.of(), slurm.done);
  }

  /** It got memory while Slurm was asked. */
  @Test
  void aJobThatHasBeenServedMeanwhileStays() {
    RegionSnapshot served =
        Snapshots.snapshot(busy.devices(), busy.jobs(), busy.clients(), List.of(), List.of());
    limitWaits(settings(65, 0, WaitAction.REQUEUE), served);
    assertEquals(List.of(), slurm.done);
  }

  @Test
  void onlyJobsOverSeveralNodesHaveTheirLimit() {
    limitWaits(settings(0, 10, WaitAction.REQUEUE), busy);
    assertEquals(List.of(), slurm.done);
    slurm.put(99, "RUNNING", 5, 2, "");
    limitWaits(settings(0, 10, WaitAction.REQUEUE), busy);
    assertEquals("requeue 99", slurm.done.get(1));
  }

  @Test
  void aJobThatAsksForThisNodeStays() {
    slurm.put(99, "RUNNING", 5, 1, "n1");
    limitWaits(settings(65, 0, WaitAction.REQUEUE), busy);
    assertEquals(List.of(), slurm.done);
  }

  /** Only batch jobs can be requeued. */
  @Test
  void aJobThatCannotGoBackStaysAndIsNotExcluded() {
    slurm.refuses = "requeue";
    limitWaits(settings(65, 0, WaitAction.REQUEUE), busy);
    restart();
    assertTrue(exclusions.isEmpty());
  }

  @Test
  void withFailItIsCancelledAndWithWaitNothingHappens() {
    limitWaits(settings(65, 0, WaitAction.WAIT), busy);
    assertEquals(List.of(), slurm.done);
    limitWaits(settings(65, 0, WaitAction.FAIL), busy);
    assertEquals(
        List.of("mark 99 schedgpu: waited 1m05s for memory of n1, cancelled", "cancel 99"),
        slurm.done);
  }

  @Test
  void aJobThatRunsElsewhereOrIsOverIsNotWaitedFor() {
    exclusions.put(new Excluded(99, 10, false));
    exclusions.look(attempts, 0, 0);
    assertTrue(exclusions.isEmpty(), "it began before it could be excluded");
    exclusions.put(new Excluded(98, 10, true));
    exclusions.look(attempts, 0, 5);
    assertFalse(exclusions.isEmpty());
    exclusions.look(attempts, 0, 10);
    assertTrue(exclusions.isEmpty(), "Slurm does not know it");
    assertEquals(List.of(), slurm.done);
  }

  @Test
  void whileSlurmDoesNotAnswerItIsAskedForFewJobs() {
    int[] asked = {0};
    slurm.onAsked = () -> asked[0]++;
    slurm.refuses = "all";
    look(0);
    assertEquals(2, asked[0]);
    look(30);
    assertEquals(3, asked[0], "the third job, for which it was not tried yet");
  }
}
