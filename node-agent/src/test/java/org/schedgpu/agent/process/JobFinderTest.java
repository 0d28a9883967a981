package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Jobs of the region: slurm:7 and run:31 of alice (1000), slurm:8 of bob (1001); process 100 of
 * alice is a client of slurm:7.
 */
class JobFinderTest {
  private static final int ALICE = 1000;
  private static final int BOB = 1001;
  private static final long NAMESPACE = 4026531836L;
  private static final List<String> NO_CGROUP = List.of("0::/user.slice");

  private final Map<Integer, HostProcess> processes = new HashMap<>();
  private final JobFinder finder =
      new JobFinder(
          Snapshots.snapshot(
              List.of(),
              List.of(
                  job(0, JobKind.SLURM, 7, ALICE),
                  job(1, JobKind.SLURM, 8, BOB),
                  job(2, JobKind.RUN, 31, ALICE)),
              List.of(Snapshots.client(1, 0, 100, Map.of(), 0, 0)),
              List.of(),
              List.of()),
          pid -> Optional.ofNullable(processes.get(pid)),
          NAMESPACE);

  private static Job job(int record, JobKind kind, long id, int uid) {
    return Snapshots.job(record, kind, id, uid, Mode.PEAK, 50, Map.of(0, 1L), Map.of());
  }

  private static HostProcess process(int uid, List<String> cgroups, String variable) {
    return new HostProcess(500, "train", uid, 1, 500, NAMESPACE, cgroups, variable);
  }

  private static List<String> slurm(long job) {
    return List.of("0::/system.slice/slurmstepd.scope/job_" + job + "/step_0/user/task_0");
  }

  private String found(HostProcess process) {
    return finder.jobOf(process).map(Job::reference).orElse("none");
  }

  @ParameterizedTest
  @CsvSource({
    "'5:devices:/slurm/uid_1000/job_42/step_0/task_0', 42",
    "'5:freezer:/slurm_node1/uid_1000/job_42/step_batch', 42",
    "'0::/system.slice/slurmstepd.scope/job_42/step_0/user/task_0', 42",
    "'0::/system.slice/node1_slurmstepd.scope/job_42/step_extern/user', 42",
    "'0::/pod/slurm/uid_1000/job_42', 42",
    "'0::/user.slice/job_42/x', -1",
    "'0::/system.slice/slurmstepd.scope/s7HC1W9R9G3Y00/step_0/user/task_0', 0",
    "'0::/system.slice/slurmstepd.scope/system', -1",
    "'0::/system.slice/slurmstepd.scope/job_42x', -1",
    "'0::/system.slice/slurmstepd.scope/job_99999999999999999999', -1",
    "'0::/', -1"
  })
  void slurmsCgroupsNameTheJob(String cgroup, long job) {
    assertEquals(
        job < 0 ? OptionalLong.empty() : OptionalLong.of(job),
        JobFinder.slurmJob(List.of("9:name=systemd:/", cgroup)));
  }

  @Test
  void aProcessInAJobsCgroupIsTheJobs() {
    assertEquals("slurm:7", found(process(ALICE, slurm(7), "")));
    assertEquals("slurm:7", found(process(0, slurm(7), "")));
  }

  /** Users may make cgroups of any name in their own slice. */
  @Test
  void anothersCgroupCannotBeClaimed() {
    assertEquals("none", found(process(BOB, slurm(7), "")));
  }

  /** A batch job that another job submitted inherits its environment. */
  @Test
  void theCgroupIsBelievedAndNotAnInheritedVariable() {
    assertEquals("none", found(process(ALICE, slurm(9), "slurm:7")));
    assertEquals("slurm:7", found(process(ALICE, slurm(7), "run:31")));
  }

  @Test
  void theEnvironmentNamesAJobOfTheSameUserOnly() {
    assertEquals("run:31", found(process(ALICE, NO_CGROUP, "run:31")));
    assertEquals("slurm:7", found(process(ALICE, NO_CGROUP, "slurm:7")));
    assertEquals("none", found(process(BOB, NO_CGROUP, "run:31")));
    assertEquals("none", found(process(ALICE, NO_CGROUP, "run:32")));
    assertEquals("none", found(process(ALICE, NO_CGROUP, "")));
  }

  @Test
  void aDescendantOfARunIsItsJobs() {
    processes.put(400, new HostProcess(400, "sh", ALICE, 31, 400, NAMESPACE, NO_CGROUP, ""));
    processes.put(31, new HostProcess(31, "java", ALICE, 20, 31, NAMESPACE, NO_CGROUP, ""));
    HostProcess child =
        new HostProcess(500, "train", ALICE, 400, 500, NAMESPACE, slurm(7), "slurm:7");
    assertEquals("run:31", found(child));
    assertEquals(
        "none", found(new HostProcess(500, "su", BOB, 400, 500, NAMESPACE, NO_CGROUP, "")));
  }

  @Test
  void parentsThatGoRoundEnd() {
    processes.put(400, new HostProcess(400, "a", ALICE, 401, 400, NAMESPACE, NO_CGROUP, ""));
    processes.put(401, new HostProcess(401, "b", ALICE, 400, 401, NAMESPACE, NO_CGROUP, ""));
    assertEquals(
        "none", found(new HostProcess(500, "c", ALICE, 400, 500, NAMESPACE, NO_CGROUP, "")));
  }

  @Test
  void aClientIsFoundByItsPidInItsOwnNamespace() {
    HostProcess client = new HostProcess(100, "x", ALICE, 1, 100, NAMESPACE, NO_CGROUP, "");
    HostProcess inside = new HostProcess(5000, "x", ALICE, 1, 100, NAMESPACE, NO_CGROUP, "");
    HostProcess other = new HostProcess(6000, "x", ALICE, 1, 100, NAMESPACE + 1, NO_CGROUP, "");
    HostProcess bobs = new HostProcess(100, "x", BOB, 1, 100, NAMESPACE, NO_CGROUP, "");
    assertEquals("slurm:7", found(client));
    assertEquals("slurm:7", found(inside));
    assertEquals("none", found(other));
    assertEquals("none", found(bobs));
    assertTrue(finder.mayBeClient(client));
    assertFalse(finder.mayBeClient(bobs));
    assertFalse(finder.mayBeClient(process(ALICE, slurm(7), "")));
  }

  /** With Mode=brokered the agent records the number that it sees itself. */
  @Test
  void aClientOfTheBrokerIsFoundByItsPidOnTheNode() {
    HostProcess inside = new HostProcess(100, "x", ALICE, 1, 7, NAMESPACE + 1, NO_CGROUP, "");
    assertEquals("slurm:7", found(inside));
    assertTrue(finder.mayBeClient(inside));
  }

  /** Started by sudo, for example. */
  @Test
  void aClientOfRootIsOneOfTheJobToo() {
    HostProcess roots = new HostProcess(100, "x", 0, 1, 100, NAMESPACE, slurm(7), "");
    assertEquals("slurm:7", found(roots));
    assertTrue(finder.mayBeClient(roots));
  }

  @Test
  void whereItsNamespaceIsHiddenAProcessMayBeAClient() {
    HostProcess hidden = new HostProcess(6000, "x", ALICE, 1, 100, 0, slurm(7), "");
    assertTrue(finder.mayBeClient(hidden));
  }

  @ParameterizedTest
  @CsvSource({
    "'5:freezer:/slurm_node1/uid_1000/job_7/step_batch/task_0', batch",
    "'0::/system.slice/slurmstepd.scope/job_7/step_12/user/task_0', 12",
    "'0::/system.slice/slurmstepd.scope/job_8/step_12/user/task_0', none",
    "'0::/user.slice/job_7/step_12', none",
    "'0::/system.slice/slurmstepd.scope/job_7', none"
  })
  void theControlGroupNamesTheStep(String cgroup, String step) {
    Job seven = job(0, JobKind.SLURM, 7, ALICE);
    assertEquals(step, JobFinder.stepOf(process(ALICE, List.of(cgroup), ""), seven).orElse("none"));
    assertEquals("none", JobFinder.stepOf(process(0, List.of(cgroup), ""), seven).orElse("none"));
  }
}
