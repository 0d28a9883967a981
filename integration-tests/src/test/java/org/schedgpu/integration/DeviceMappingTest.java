package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/** A task sees the devices behind its virtual GPUs, each once, and by names that mean the same. */
abstract class DeviceMappingTest extends ClusterTest {
  /** GPU_DEVICE_ORDINAL of a task that has these devices. */
  abstract String ordinals(List<Device> devices);

  private void assertNamesAgree(Seen seen) {
    String virtual = seen.variable("SLURM_STEP_GPUS");
    assertNamesAgree(seen, virtual.isEmpty() ? seen.variable("SLURM_JOB_GPUS") : virtual);
  }

  private void assertNamesAgree(Seen seen, String virtualGpus) {
    List<Device> devices = cluster.devicesBehind(virtualGpus);
    List<String> uuids = devices.stream().map(Device::uuid).toList();
    assertEquals(uuids, seen.devices(), () -> "behind " + virtualGpus);
    assertEquals(ordinals(devices), seen.variable("CUDA_VISIBLE_DEVICES"));
    assertEquals(String.join(",", uuids), seen.variable("SCHEDGPU_DEVICES"));
    assertEquals(ordinals(devices), seen.variable("GPU_DEVICE_ORDINAL"));
  }

  private Seen seenWith(String... options) {
    return Seen.in(cluster.srun(List.of(options), "show").orThrow().stdout());
  }

  /** Takes the next free virtual GPU until the test's end. */
  void takeOne() {
    Path taken = cluster.barrier("taken");
    cluster.sbatch(List.of("--gres=gpu:1"), "touch", taken, "until", cluster.barrier("never"));
    cluster.await(taken);
  }

  @Test
  void oneGpuIsTheDeviceOfDevicesConf() {
    Seen seen = seenWith("--gres=gpu:1");

    assertEquals("0", seen.variable("SLURM_STEP_GPUS"));
    assertNamesAgree(seen);
  }

  @Test
  void theNextGpuIsOfTheOtherDevice() {
    takeOne();

    Seen seen = seenWith("--gres=gpu:1");

    assertEquals(List.of(cluster.uuids().get(1)), seen.devices());
    assertNamesAgree(seen);
  }

  @Test
  void twoGpusAreTwoDevicesWhenTwoAreFree() {
    takeOne();
    takeOne();
    takeOne();

    Seen seen = seenWith("--gres=gpu:2");

    assertEquals(2, seen.devices().size());
    assertNamesAgree(seen);
  }

  @Test
  void sharesOfOneDeviceAreOneDeviceToTheProgram() {
    Seen seen = seenWith("--gres=gpu:8");

    assertEquals(new HashSet<>(cluster.uuids()), new HashSet<>(seen.devices()));
    assertNamesAgree(seen);
  }

  @Test
  void batchJobsSeeTheSame() {
    takeOne();
    long job = cluster.sbatch(List.of("--gres=gpu:1"), "show");
    cluster.end(job);

    Seen seen = Seen.in(cluster.output(job));

    assertEquals("1", seen.variable("SLURM_JOB_GPUS"));
    assertNamesAgree(seen);
  }

  @Test
  void distinctIsGrantedWhenTheDevicesAre() {
    assertEquals(2, seenWith("--gres=gpu:2", "--schedgpu-distinct").devices().size());
  }

  @Test
  void distinctIsRefusedWhenTwoSharesAreOfOneDevice() {
    CommandResult result = cluster.srun(List.of("--gres=gpu:3", "--schedgpu-distinct"), "show");

    assertTrue(result.exitCode() != 0);
    assertTrue(
        result
            .stderr()
            .contains("--schedgpu-distinct: the virtual GPUs 1 and 3 are both of device 1"),
        result.stderr());
    assertEquals("", result.stdout());
  }

  @Test
  void distinctIsRefusedForBatchJobsToo() {
    long job = cluster.sbatch(List.of("--gres=gpu:3", "--schedgpu-distinct"), "show");

    assertEquals(JobState.FAILED, cluster.end(job));
    assertTrue(
        cluster.output(job).contains("--schedgpu-distinct: the virtual GPUs"),
        () -> cluster.output(job));
  }

  @Test
  void elementsOfAnArrayAreJobsLikeOthers() {
    Path go = cluster.barrier("go");
    long array =
        cluster.sbatch(
            cluster.slurm().commands(),
            List.of("--array=0-2", "--gres=gpu:1", "--output=array-%a.out"),
            cluster.gpuUser("show", "touch", "up-$SLURM_ARRAY_TASK_ID", "until", go));
    for (int i = 0; i < 3; i++) {
      cluster.await(cluster.slurm().paths().jobs().resolve("up-" + i));
    }
    cluster.open(go);
    assertEquals(JobState.COMPLETED, cluster.end(array));

    Set<String> virtual = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      Seen seen = Seen.in(cluster.read("array-" + i + ".out"));
      assertNamesAgree(seen);
      virtual.add(seen.variable("SLURM_JOB_GPUS"));
    }
    assertEquals(Set.of("0", "1", "2"), virtual);
  }

  @Test
  void tasksOfAStepShareItsDevices() {
    String output = cluster.srun(List.of("--ntasks=2", "--gres=gpu:2"), "show").orThrow().stdout();

    List<Seen> tasks = Seen.all(output);
    assertEquals(2, tasks.size());
    tasks.forEach(this::assertNamesAgree);
    assertEquals(cluster.uuids(), tasks.get(1).devices());
  }

  @Test
  void gpusPerTaskGivesEachTaskItsOwnDevice() {
    assertEachTaskHasItsOwn("--ntasks=2", "--gpus-per-task=1");
  }

  @Test
  void boundTasksHaveTheirOwnDevice() {
    assertEachTaskHasItsOwn("--ntasks=2", "--gres=gpu:2", "--gpu-bind=single:1");
  }

  private void assertEachTaskHasItsOwn(String... options) {
    String output = cluster.srun(List.of(options), "show", "alloc", 10).orThrow().stdout();

    List<Seen> tasks = Seen.all(output);
    assertEquals(
        List.of(List.of(cluster.uuids().get(0)), List.of(cluster.uuids().get(1))),
        tasks.stream().map(Seen::devices).toList());
    assertEquals(cluster.uuids(), tasks.stream().map(t -> t.variable("SCHEDGPU_DEVICES")).toList());
  }

  @Test
  void stepsSideBySideHaveTheirOwnShare() {
    Path both = cluster.barrier("both");
    String step = "srun --exact --ntasks=1 --gres=gpu:1 --output=side-%s.out ";
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            List.of("--ntasks=2", "--gres=gpu:2"),
            // bash: "wait" of dash never returns with Slurm 25.05, which blocks SIGCHLD in tasks.
            "exec bash <<'END'\n"
                + step
                + cluster.gpuUser("show", "touch", both + ".a", "until", both)
                + " &\n"
                + step
                + cluster.gpuUser("show", "touch", both + ".b", "until", both)
                + " &\nwait\nEND");
    cluster.await(Path.of(both + ".a"));
    cluster.await(Path.of(both + ".b"));
    cluster.open(both);
    cluster.end(job);

    List<Seen> steps =
        List.of(Seen.in(cluster.read("side-0.out")), Seen.in(cluster.read("side-1.out")));
    steps.forEach(this::assertNamesAgree);
    assertEquals(
        Set.copyOf(cluster.uuids()),
        steps.stream().flatMap(seen -> seen.devices().stream()).collect(Collectors.toSet()));
  }

  @Test
  void overlappingStepHasAllOfTheJobs() {
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            List.of("--gres=gpu:2"),
            "srun --overlap " + cluster.gpuUser("show"));
    cluster.end(job);

    Seen seen = Seen.in(cluster.output(job));
    assertEquals(2, seen.devices().size());
    assertNamesAgree(seen);
  }

  @Test
  void theBudgetIsOneForEachDevice() {
    CommandResult result =
        cluster.srun(
            List.of("--gres=gpu:2", "--schedgpu-mem=300M"),
            "alloc",
            250,
            "device",
            1,
            "alloc",
            250,
            "try",
            100);

    assertEquals(List.of(2), Seen.numbers(result.orThrow().stdout(), "tried"));
    assertTrue(result.stderr().contains("on device 1, 0.2 of its 0.3 GiB"), result.stderr());
  }

  @Test
  void jobsOnDifferentDevicesDoNotWaitForEachOther() {
    Path held = cluster.barrier("held");
    List<String> most = List.of("--gres=gpu:1", "--schedgpu-mem=800M");
    cluster.sbatch(most, "alloc", 700, "touch", held, "until", cluster.barrier("never"));
    cluster.await(held);

    CommandResult result = cluster.srun(most, "alloc", 700).orThrow();

    assertFalse(result.stderr().contains("schedgpu"), result.stderr());
  }

  @Test
  void stepWithoutGpusHasNone() {
    CommandResult result =
        cluster
            .slurm()
            .commands()
            .run(
                List.of(
                    "salloc",
                    "--gres=gpu:1",
                    "srun",
                    "--gres=none",
                    cluster.installation().gpuUser().toString(),
                    "show"));

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals("", seen.variable("SCHEDGPU_JOB"));
    assertEquals("", seen.variable("LD_PRELOAD"));
  }
}
