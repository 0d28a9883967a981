package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/** Mode=brokered under the real Slurm: jobs of users who cannot write the region. */
final class BrokeredTest extends ClusterTest {
  private static final String[] BROKERED = {
    "Mode=brokered", "OnFailure=refuse", "HighPriorityUsers=sgcarol"
  };

  private TestUser alice;
  private TestUser bob;
  private NodeAgent agent;
  private final Map<Long, Path> holders = new HashMap<>();

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().conf(BROKERED);
  }

  @BeforeAll
  void makeUsersAndAgent() throws IOException {
    alice = TestUsers.ensure("sgcarol");
    bob = TestUsers.ensure("sgdave");
    cluster.installation().copyCommand();
    agent = NodeAgent.startBroker(cluster);
  }

  @AfterAll
  void endAgentAndUsers() throws InterruptedException {
    if (agent != null && agent.isAlive()) {
      assertEquals(0, agent.end());
    }
    if (alice != null) {
      alice.close();
      bob.close();
    }
  }

  @BeforeEach
  void requireAgent() throws IOException {
    if (!agent.isAlive()) {
      agent = NodeAgent.startBroker(cluster);
    }
  }

  /** The processes end by themselves before Slurm ends them. */
  @AfterEach
  void endHolders() {
    holders.values().stream().filter(Files::notExists).distinct().forEach(cluster::open);
    holders.keySet().forEach(cluster::end);
    holders.clear();
  }

  private SlurmCommands as(TestUser user) {
    return cluster.slurm().as(user.name());
  }

  private static List<String> budget(int mib) {
    return List.of("--gres=gpu:1", "--schedgpu-mem=" + mib + "M");
  }

  /** Submits a job that allocates nearly its budget and keeps it until the file exists. */
  private long hold(TestUser user, int mib, Path end) {
    Path held = cluster.barrier("held");
    String program = cluster.gpuUser("alloc", mib - 50, "touch", held, "until", end);
    long job = cluster.sbatch(as(user), budget(mib), program);
    holders.put(job, end);
    cluster.await(held);
    return job;
  }

  /** Submits a job that does not fit, and waits until it waits. */
  private long queue(TestUser user, int mib) {
    long job = cluster.sbatch(as(user), budget(mib), cluster.gpuUser("alloc", mib - 50));
    cluster.awaitOutput(job, "schedgpu: waiting for");
    return job;
  }

  private void requireServed(long job) {
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertTrue(cluster.output(job).contains("schedgpu: got "), cluster.output(job));
  }

  private long heldMiB(long job) {
    return cluster.statusOf(job).at("/devices/0/heldBytes").asLong() >> 20;
  }

  @Test
  void usersHoldSideBySideAndAThirdJobIsServedWhenOneEnds() {
    Path end = cluster.barrier("end");
    long first = hold(alice, 600, end);
    long second = hold(bob, 500, cluster.barrier("never"));
    assertEquals(alice.uid(), cluster.statusOf(first).get("uid").asInt());
    assertEquals(bob.uid(), cluster.statusOf(second).get("uid").asInt());
    long third = queue(bob, 550);

    cluster.open(end);

    requireServed(third);
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
  }

  @Test
  void whoWaitsDoesNotSeeOtherUsers() {
    Path end = cluster.barrier("end");
    long first = hold(alice, 800, end);
    long second = queue(bob, 800);

    assertEquals(
        "schedgpu: waiting for 0.8 GiB on device 0, 0.4 GiB free: place 1 in the queue; another"
            + " user's job holds it\n",
        cluster.output(second),
        () -> "job " + first);
    cluster.open(end);
    requireServed(second);
  }

  @Test
  void aJobThatIsKilledFreesItsMemory() {
    long first = hold(alice, 800, cluster.barrier("never"));
    long second = queue(bob, 800);

    as(alice).scancel("--full", "--signal=KILL", Long.toString(first)).orThrow();

    requireServed(second);
    assertNotEquals(JobState.COMPLETED, cluster.end(first));
    assertTrue(cluster.statusOf(first).isMissingNode());
  }

  @Test
  void aGateOpensWhenThereIsRoom() {
    Path end = cluster.barrier("end");
    hold(alice, 800, end);
    List<String> gate = new ArrayList<>(budget(800));
    gate.add("--schedgpu-mode=gate");
    long second = cluster.sbatch(as(bob), gate, cluster.gpuUser("alloc", 700));
    cluster.awaitOutput(second, "schedgpu: waiting for");

    cluster.open(end);

    requireServed(second);
  }

  @Test
  void aKilledAgentLosesNeitherHolderNorWaiter() throws Exception {
    Path end = cluster.barrier("end");
    long first = hold(alice, 800, end);
    long heldBefore = heldMiB(first);
    long second = queue(bob, 800);

    agent.kill();
    assertEquals(heldBefore, heldMiB(first));
    agent = NodeAgent.startBroker(cluster);

    assertEquals(heldBefore, heldMiB(first));
    JsonNode waiters = cluster.status().get("waiters");
    assertEquals(1, waiters.size(), waiters::toPrettyString);
    assertEquals("slurm:" + second, waiters.get(0).get("job").asText());
    cluster.open(end);
    requireServed(second);
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
  }

  @Test
  void whatIsFreedWhileNoAgentRunsIsServedByTheNext() throws Exception {
    Path end = cluster.barrier("end");
    long first = hold(alice, 800, end);
    long second = queue(bob, 800);

    agent.kill();
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
    agent = NodeAgent.startBroker(cluster);

    requireServed(second);
  }

  @Test
  void usersCannotWriteTheRegion() throws IOException {
    Path region = cluster.runDir().resolve("region");

    CommandResult write = as(alice).run("sh", "-c", ": >> " + region);

    assertTrue(
        write.exitCode() != 0 && write.stderr().contains("ermission denied"), write.stderr());
    String permissions = PosixFilePermissions.toString(Files.getPosixFilePermissions(region));
    assertFalse(permissions.substring(3).contains("w"), permissions);
    assertEquals("600", segmentMode(region));
  }

  /** Of the segment that the descriptor names. */
  private String segmentMode(Path region) throws IOException {
    String number =
        Files.readAllLines(region).stream()
            .filter(line -> line.startsWith("shmid "))
            .findFirst()
            .orElseThrow()
            .substring("shmid ".length());
    List<String> command = List.of("ipcs", "-m", "-i", number);
    String text = cluster.slurm().run(command, Map.of(), null).orThrow().stdout();
    return text.replaceAll("(?s).*access_perms=0*(\\d+).*", "$1");
  }

  private CommandResult schedgpu(TestUser user, String name, String... words) {
    List<String> command = new ArrayList<>(cluster.installation().command());
    command.addAll(List.of(name, "--conf", cluster.installation().schedgpuConf().toString()));
    command.addAll(List.of(words));
    return as(user).run(command);
  }

  @Test
  void usersSeeTheirOwnJobsAndSumsOfTheOthers() {
    long job = hold(alice, 100, cluster.barrier("never"));
    String name = "slurm:" + job;

    String hers = schedgpu(alice, "status").orThrow().stdout();
    assertTrue(hers.contains(name) && !hers.contains("Not shown"), hers);
    String his = schedgpu(bob, "status").orThrow().stdout();
    assertFalse(his.contains(name), his);
    assertFalse(his.contains(alice.name()), his);
    assertTrue(his.contains(", 1 job, 0 waiting\n"), his);
    assertTrue(his.contains("Not shown: 1 job of other users (PrivateData=jobs).\n"), his);

    assertTrue(schedgpu(alice, "jobs").orThrow().stdout().contains(name + " "));
    assertEquals(
        "No job of yours on this node, but 1 job of other users (PrivateData=jobs).\n",
        schedgpu(bob, "jobs").orThrow().stdout());
  }

  /**
   * A job in the history of a user, after it has ended; a missing node if the user may not see it.
   */
  private JsonNode remembered(TestUser user, long job) {
    CommandResult history = schedgpu(user, "history", "--json", "--job", Long.toString(job));
    return Json.parse(history.orThrow().stdout()).at("/jobs/0");
  }

  @Test
  void whatAJobAskedForUsedAndWaitedForIsRememberedForItsUser() throws Exception {
    Path end = cluster.barrier("end");
    long first = hold(alice, 800, end);
    long second = queue(bob, 700);
    cluster.open(end);
    requireServed(second);
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));

    for (long job : List.of(first, second)) {
      TestUser owner = job == first ? alice : bob;
      Eventually.that(
          "the end of job " + job + " is remembered",
          () -> remembered(owner, job).path("state").asText().equals("ended"),
          agent::log);
    }
    JsonNode hers = remembered(alice, first);
    JsonNode his = remembered(bob, second);
    assertEquals(800, hers.at("/devices/0/requestedBytes").asLong() >> 20, hers::toString);
    assertEquals(750, hers.at("/devices/0/peakBytes").asLong() >> 20, hers::toString);
    assertEquals(700, his.at("/devices/0/requestedBytes").asLong() >> 20, his::toString);
    assertEquals(650, his.at("/devices/0/peakBytes").asLong() >> 20, his::toString);
    assertEquals(0, hers.get("waitedNs").asLong(), hers::toString);
    assertEquals(1, his.get("waits").asInt(), his::toString);
    assertTrue(his.get("waitedNs").asLong() > 0, his::toString);
    assertTrue(hers.get("heldNs").asLong() >= his.get("waitedNs").asLong(), hers::toString);
    assertEquals(bob.name(), his.get("user").asText());
    assertTrue(remembered(bob, first).isMissingNode());
    assertTrue(remembered(alice, second).isMissingNode());

    agent.kill();
    CommandResult alone = schedgpu(bob, "history");
    assertEquals(1, alone.exitCode());
    assertTrue(alone.stderr().contains("no agent answers"), alone.stderr());
    String all = asRoot("history");
    assertTrue(all.contains("slurm:" + first) && all.contains("slurm:" + second), all);
  }

  @Test
  void theHistoryPageShowsWhatAUserSees() throws IOException {
    long job = hold(bob, 100, cluster.barrier("never"));
    Eventually.that(
        "job " + job + " is remembered",
        () -> remembered(bob, job).path("state").asText().equals("running"),
        agent::log);
    List<String> words = cluster.installation().command();
    Path folder = Path.of(words.get(words.size() - 1)).getParent();
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/history.md"))) {
      List<String> command = new ArrayList<>(words.subList(0, words.size() - 1));
      command.addAll(List.of("PATH=" + folder + ":" + System.getenv("PATH"), "sh", "-c"));
      command.add(shown.command());
      AtomicReference<String> output = new AtomicReference<>("");
      Eventually.that( // a run of another test may just have ended, and come first
          "job " + job + " is shown",
          () -> {
            output.set(as(bob).run(command).orThrow().stdout());
            boolean sums = shown.command().contains("--by "); // they name no job
            return sums || output.get().contains("slurm:" + job);
          },
          output::get);
      assertTrue(shown.isIn(output.get()), () -> shown + " but:\n" + output);
    }
  }

  private String asRoot(String name) {
    String conf = cluster.installation().schedgpuConf().toString();
    List<String> command = List.of(Build.command().toString(), name, "--conf", conf);
    return cluster.slurm().run(command, Map.of(), null).orThrow().stdout();
  }

  private CommandResult run(TestUser user, String mem, String priority, String script) {
    return schedgpu(user, "run", "--mem", mem, "--priority", priority, "--", "sh", "-c", script);
  }

  @Test
  void aUserRunsAJobWithoutSlurmWithinWhatTheSiteAllows() {
    String seen = "echo $SCHEDGPU_JOB; ";

    CommandResult run = run(bob, "100M", "95", seen + cluster.gpuUser("alloc", 50));
    CommandResult tooMuch = run(alice, "100M", "95", cluster.gpuUser("alloc", 150));

    assertEquals(0, run.exitCode(), run.stderr());
    assertTrue(run.stdout().matches("(?s)run:\\d+\n.*"), run.stdout());
    assertEquals("schedgpu: priority 95 is lowered to MaxPriority 90\n", run.stderr());
    assertNotEquals(0, tooMuch.exitCode());
    assertFalse(tooMuch.stderr().contains("is lowered"), tooMuch.stderr()); // HighPriorityUsers
    assertTrue(tooMuch.stderr().contains("budget"), tooMuch.stderr());
    assertEquals(0, cluster.status().get("jobs").size(), () -> cluster.status().toString());
  }

  @Test
  void aRunWithoutABudgetGetsWhatEarlierRunsWereGivenWouldDo() {
    cluster.configure("Mode=brokered", "OnFailure=refuse", "DefaultMem=learned");
    try {
      CommandResult first = run(bob, "900M", "50", cluster.gpuUser("alloc", 100));
      assertTrue(
          first
              .orThrow()
              .stderr()
              .matches(
                  "schedgpu: run:\\d+ used at most 100 MiB of 900 MiB asked on device 0;"
                      + " --mem 512M would do\n"),
          first.stderr());

      Eventually.that(
          "the run is remembered",
          () -> schedgpu(bob, "suggest", "sh").exitCode() == 0,
          agent::log);
      CommandResult next =
          schedgpu(
                  bob,
                  "run",
                  "--",
                  "sh",
                  "-c",
                  "echo $SCHEDGPU_JOB; " + cluster.gpuUser("info", "alloc", 600))
              .orThrow();
      assertEquals(List.of(512), Seen.numbers(next.stdout(), "totalMiB"));
      assertEquals(
          "schedgpu: no --mem: 512 MiB, as earlier runs of sh needed; for more it waits\n",
          next.stderr());
      String job = next.stdout().lines().findFirst().orElseThrow();
      Eventually.that( // otherwise it is newer than the jobs of the next test
          "the other run is remembered",
          () -> schedgpu(bob, "history").stdout().contains(job),
          agent::log);
    } finally {
      cluster.configureAsAtStart();
    }
  }

  @Test
  void insideASlurmJobThereIsNoOther() {
    assumeTrue(MiniCluster.canConstrainDevices(), "Slurm's control groups are needed");
    List<String> command = new ArrayList<>(List.of("srun"));
    command.addAll(budget(100));
    command.addAll(cluster.installation().command());
    command.addAll(List.of("run", "--conf", cluster.installation().schedgpuConf().toString()));
    command.addAll(List.of("--mem", "800M", "--", "echo", "done"));

    CommandResult run = as(bob).run(command);

    assertEquals(1, run.exitCode(), run.stderr());
    assertEquals("", run.stdout());
    assertTrue(run.stderr().contains("which has a budget of its own"), run.stderr());
  }

  @Test
  void withoutAnAgentAJobRunsUnscheduledWhereTheSiteWantsThat() throws Exception {
    agent.kill();
    cluster.configure("Mode=brokered", "OnFailure=run");
    try {
      CommandResult ran = cluster.srun(as(alice), budget(100), "alloc", 50);

      assertEquals(0, ran.exitCode(), ran.stderr());
      assertTrue(
          ran.stderr().contains("EAGENT: the agent of this node does not answer"), ran.stderr());
      CommandResult run = run(alice, "100M", "50", "echo done");
      assertEquals("done\n", run.stdout());
      assertTrue(run.stderr().contains("is run unscheduled"), run.stderr());
    } finally {
      cluster.configureAsAtStart();
    }
  }

  @Test
  void withoutAnAgentAJobIsRefusedAndTheNodeStaysUsable() throws Exception {
    agent.kill();

    CommandResult refused = cluster.srun(as(alice), budget(100), "alloc", 50);

    assertNotEquals(0, refused.exitCode());
    assertTrue(
        refused.stderr().contains("EAGENT: the agent of this node does not answer"),
        refused.stderr());
    assertTrue(refused.stderr().contains("refusing device memory"), refused.stderr());
    agent = NodeAgent.startBroker(cluster);
    cluster.srun(as(alice), budget(100), "alloc", 50).orThrow();
    assertFalse(cluster.slurm().nodeState(cluster.node()).contains("drain"));
  }
}
