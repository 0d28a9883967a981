package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.Subprocess;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.minicluster.JobState;

/**
 * A real PyTorch in jobs of a real Slurm; the GPU and its mathematics are emulated. It takes ten
 * minutes: only if the environment has FRAMEWORKS=all.
 */
final class PyTorchTest extends ClusterTest {
  private static final Path PROGRAMS = Build.root().resolve("lab/frameworks/pytorch");
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A training that takes 812 MiB; the device has 2048, a context 128. */
  private static final String ACTIVATIONS = "600";

  @TempDir static Path work;

  /** Jobs of one device are all on the first one. Nothing is fetched for these tests. */
  @Override
  ClusterSetup setup() {
    assumeTrue("all".equals(System.getenv("FRAMEWORKS")), "ten minutes: FRAMEWORKS=all");
    Subprocess.Result cached = run("download", "--cached");
    assumeTrue(cached.isOk(), cached::toString);
    Path emulator = Build.root().resolve("lab/gpu-emulator/target/native");
    Subprocess.Result prepared = run("prepare", work.toString(), emulator.toString());
    assertTrue(prepared.isOk(), prepared::toString);
    ClusterSetup setup =
        ClusterSetup.twoDevices().conf("PythonPath=" + Build.root().resolve("python/src"));
    setup.order = Order.PACK;
    setup.deviceMiB = 2048;
    setup.contextMiB = 128;
    return setup;
  }

  private static Subprocess.Result run(String script, String... arguments) {
    List<String> command =
        Stream.concat(Stream.of(PROGRAMS.resolve(script).toString()), Stream.of(arguments))
            .toList();
    try {
      return Subprocess.of(command).merged().run(PATIENCE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private long submit(String program, String... options) {
    return cluster.sbatch(
        cluster.slurm().commands(),
        List.of(options),
        "OMP_NUM_THREADS=1 %s/python3 %s/%s".formatted(work, work, program));
  }

  /** Submits a job that holds most of the device, and waits until it does. */
  private void holdUntil(Path go) {
    Path held = cluster.barrier("held");
    cluster.sbatch(
        List.of("--gres=gpu:1", "--schedgpu-mem=1200M"), "alloc", 1200, "touch", held, "until", go);
    cluster.await(held);
  }

  private void requireCompleted(long job) {
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
  }

  private void requireToWaitBesideAnother(String... options) {
    Path go = cluster.barrier("go");
    holdUntil(go);
    long job = submit("train.py one " + ACTIVATIONS + " 2", options);
    cluster.awaitOutput(job, "schedgpu: waiting for");
    cluster.open(go);

    requireCompleted(job);
    String output = cluster.output(job);
    assertTrue(output.contains("one: 2 steps; "), output);
    assertTrue(output.contains(" 0 out of memory"), output);
  }

  @Test
  void beyondABudgetThatMayGrowItWaits() {
    requireToWaitBesideAnother("--gres=gpu:1", "--schedgpu-mem=512M", "--schedgpu-overflow=wait");
  }

  @Test
  void beyondAnotherBudgetItIsOutOfMemory() {
    long job = submit("train.py one " + ACTIVATIONS + " 2", "--gres=gpu:1", "--schedgpu-mem=512M");

    assertEquals(JobState.FAILED, cluster.end(job), () -> cluster.output(job));
    String output = cluster.output(job);
    assertTrue(output.contains("torch.OutOfMemoryError"), output);
    assertTrue(output.contains("ask for more with --schedgpu-mem"), output);
  }

  @Test
  void withoutABudgetItWaitsWhileItHoldsMemory() {
    requireToWaitBesideAnother("--gres=gpu:1", "--schedgpu-mode=ondemand");
  }

  /** The budgets do not fit together: without a lane the second one would wait for the first. */
  @Test
  void inALaneOneTrainsBetweenTheStepsOfAnother() {
    Path go = cluster.barrier("go");
    String[] lane = {
      "--gres=gpu:1", "--schedgpu-lane=fair", "--schedgpu-mem=1200M", "--schedgpu-persistent=450M"
    };
    long first = submit("train.py first " + ACTIVATIONS + " 2 " + go, lane);
    cluster.awaitOutput(first, "first: step 1");
    long second = submit("train.py second " + ACTIVATIONS + " 2", lane);

    requireCompleted(second);
    assertEquals(JobState.RUNNING, cluster.slurm().jobState(first));
    cluster.open(go);
    requireCompleted(first);
  }

  @Test
  void twoJobsOfOneUserShareALane() {
    String[] lane = {
      "--gres=gpu:1", "--schedgpu-lane=fair", "--schedgpu-mem=1200M", "--schedgpu-persistent=300M"
    };
    List<Long> jobs = List.of(submit("shared.py one 20", lane), submit("shared.py two 20", lane));
    for (long job : jobs) {
      requireCompleted(job);
      String output = cluster.output(job);
      assertTrue(output.contains("its lane is shared"), output);
      assertTrue(output.contains(" 20 steps; 0 retries, 0 out of memory"), output);
      assertFalse(output.contains("the turn is kept"), output);
    }
  }

  @Test
  void twoProcessesOfATrainingHaveADeviceEach() {
    long job = submit("ddp.py", "--gres=gpu:12", "--schedgpu-mem=700M");

    requireCompleted(job);
    String output = cluster.output(job);
    assertTrue(output.contains("rank 0 on device 0: done, 3"), output);
    assertTrue(output.contains("rank 1 on device 1: done, 3"), output);
  }
}
