package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/** A job whose budget does not fit beside another's waits, reports that, and continues in time. */
final class WaitingTest extends ClusterTest {
  private static final List<String> MOST_OF_IT = List.of("--gres=gpu:1", "--schedgpu-mem=800M");

  private Path held;
  private Path go;
  private Path end;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  @BeforeEach
  void nameBarriers() {
    held = cluster.barrier("held");
    go = cluster.barrier("go");
    end = cluster.barrier("end");
  }

  /** Submits a job that holds 800 MiB, and waits until it does. */
  private long hold(String... afterwards) {
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            MOST_OF_IT,
            cluster.gpuUser("alloc", 700, "touch", held, "until", go, String.join(" ", afterwards))
                + "; "
                + cluster.gpuUser("until", end));
    cluster.await(held);
    return job;
  }

  /** Submits a job that wants 800 MiB too, and waits until it waits. */
  private long queue(Object... afterwards) {
    List<Object> actions = new ArrayList<>(List.of("alloc", 700));
    actions.addAll(List.of(afterwards));
    long job = cluster.sbatch(MOST_OF_IT, actions.toArray());
    cluster.awaitOutput(job, "schedgpu: waiting for");
    return job;
  }

  @Test
  void waitsWhileAnotherHoldsAndTellsBehindWhom() {
    Path allocated = cluster.barrier("allocated");
    long first = hold();
    long second = queue("touch", allocated);

    assertFalse(Files.exists(allocated));
    assertEquals(
        "schedgpu: waiting for 0.8 GiB on device 0, 0.4 GiB free: place 1 in the queue; job "
            + first
            + " (uid 0) holds it\n",
        cluster.output(second));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(second));
  }

  @Test
  void tellsWhenTheWaitIsOver() {
    hold();
    long second = queue();
    cluster.open(go);

    assertEquals(JobState.COMPLETED, cluster.end(second));
    List<String> lines = cluster.output(second).lines().toList();
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(
        Pattern.matches("schedgpu: got 0.8 GiB on device 0 after \\d+\\.\\d s", lines.get(1)),
        lines.get(1));
  }

  @Test
  void statusShowsTheWaiterAndBehindWhom() {
    long first = hold();
    long second = queue();

    JsonNode status = cluster.status();

    JsonNode waiter = status.at("/waiters/0");
    assertEquals("slurm:" + second, waiter.get("job").asText());
    assertEquals(1, waiter.get("place").asInt());
    assertEquals(800L << 20, waiter.get("bytes").asLong());
    JsonNode heldBy = status.at("/devices/" + waiter.get("device") + "/heldBy/0");
    assertEquals("slurm:" + first, heldBy.get("job").asText());
    assertEquals((800L + 16) << 20, heldBy.get("heldBytes").asLong());
  }

  @Test
  void runsWhenTheFirstFrees() {
    Path never = cluster.barrier("never");
    long first = hold("free", "until", never.toString());
    long second = queue();
    cluster.open(go);

    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
  }

  @Test
  void runsWhenTheFirstProgramEnds() {
    long first = hold();
    long second = queue();
    cluster.open(go);

    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
  }

  @Test
  void runsWhenTheFirstProgramIsKilled() {
    long first = hold();
    long second = queue();
    long pid = cluster.statusOf(first).at("/processes/0/pid").asLong();
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());

    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
  }

  @Test
  void runsWhenTheFirstJobIsCancelled() {
    long first = hold();
    long second = queue();
    cluster.slurm().commands().scancel(Long.toString(first)).orThrow();

    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertEquals(JobState.CANCELLED, cluster.end(first));
  }

  @Test
  void cancelledWaiterLeavesTheQueue() {
    hold();
    long second = queue();
    cluster.slurm().commands().scancel(Long.toString(second)).orThrow();
    cluster.end(second);

    assertTrue(cluster.status().get("waiters").isEmpty());
    long third = queue();
    assertTrue(cluster.output(third).contains("place 1 in the queue"), cluster.output(third));
  }
}
