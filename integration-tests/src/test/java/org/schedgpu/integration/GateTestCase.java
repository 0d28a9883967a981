package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.SlurmRelease;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/**
 * Jobs that wait at the gate can be cancelled there, with every way in which Slurm tracks
 * processes.
 */
abstract class GateTestCase extends ClusterTest {
  static final List<String> GATE =
      List.of("--gres=gpu:1", "--schedgpu-mode=gate", "--schedgpu-mem=800M");

  static TestUser alice;

  @BeforeAll
  static void makeUser() {
    if (SchedGpuCluster.missing(ClusterSetup.oneDevice()).isEmpty()) {
      alice = TestUsers.ensure("sgalice");
    }
  }

  @AfterAll
  static void removeUser() {
    if (alice != null) {
      alice.close();
    }
  }

  SlurmCommands alice() {
    return cluster.slurm().as(alice.name());
  }

  static List<String> gate(String... more) {
    List<String> options = new ArrayList<>(GATE);
    options.addAll(List.of(more));
    return options;
  }

  /** Submits a job that holds its budget, without using it, until it ends. */
  long hold() {
    Path started = cluster.barrier("started");
    long job =
        cluster.sbatch(
            alice(),
            GATE,
            cluster.staticProgram("touch", started, "until", cluster.barrier("never")));
    cluster.await(started);
    return job;
  }

  /** Submits a job whose budget does not fit beside the other, and waits until it waits. */
  long queue(String script, String... options) {
    long job = cluster.sbatch(alice(), gate(options), script);
    cluster.awaitOutput(job, "schedgpu: waiting for");
    return job;
  }

  void cancel(long job) {
    alice().scancel(Long.toString(job)).orThrow();
  }

  void assertGone(long job) {
    assertTrue(cluster.statusOf(job).isMissingNode(), () -> cluster.status().toPrettyString());
    assertTrue(cluster.status().get("waiters").isEmpty(), () -> cluster.status().toPrettyString());
  }

  static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }

  static long count(String text, String part) {
    return text.lines().filter(line -> line.contains(part)).count();
  }

  @Test
  void cancelledWhileItWaitsAJobIsGoneAndTheNextOneIsServed() {
    long first = hold();
    long second = queue("echo must not run");
    long third = queue("echo third");

    cancel(second);
    assertEquals(JobState.CANCELLED, cluster.end(second));
    assertTrue(cluster.statusOf(second).isMissingNode());
    assertFalse(cluster.output(second).contains("must not run"), cluster.output(second));
    assertEquals(1, cluster.status().get("waiters").size());

    cancel(first);
    assertEquals(JobState.COMPLETED, cluster.end(third));
    assertTrue(cluster.output(third).endsWith("third\n"), cluster.output(third));
    cluster.end(first);
    cluster.slurm().awaitIdle(cluster.node());
  }

  @Test
  void tasksOfAStepAreCancelledWhileTheyWait() throws Exception {
    hold();
    List<String> words = new ArrayList<>(List.of("srun", "--ntasks=3", "--job-name=tasks"));
    words.addAll(GATE);
    words.add("hostname");
    Process srun = alice().prepare(words).start();
    Eventually.that(
        "three tasks at the gate",
        () -> cluster.status().get("waiters").size() == 3,
        cluster::situation);

    alice().scancel("--name=tasks").orThrow();
    String told = text(srun.getErrorStream());
    // srun of 24.11 to 25.11 reports that it timed out waiting for the step, and ends with 0.
    SlurmRelease slurm = SlurmRelease.installed();
    boolean statusIsLost = slurm.isAtLeast(24, 11) && !slurm.isAtLeast(26, 5);
    assertTrue(srun.waitFor() != 0 || statusIsLost, told);
    assertEquals(1, count(told, "schedgpu: waiting for"), told);
    assertEquals("", text(srun.getInputStream()));
    Eventually.that(
        "nobody at the gate", () -> cluster.status().get("waiters").isEmpty(), cluster::situation);
  }
}
