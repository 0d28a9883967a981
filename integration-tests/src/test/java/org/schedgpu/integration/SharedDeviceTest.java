package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/** The purpose of schedGPU: jobs that together want more than their device has all finish. */
final class SharedDeviceTest extends ClusterTest {
  private static final int JOBS = 12;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  @Test
  void twelveJobsThatWantFourTimesTheDeviceAllComplete() {
    Path go = cluster.barrier("go");
    List<Long> jobs = submit(cluster, List.of("--gres=gpu:1", "--schedgpu-mem=400M"), go);

    Eventually.that(
        "ten jobs wait",
        () -> jobs.stream().filter(job -> waits(job)).count() >= JOBS - 2,
        cluster::situation);
    cluster.open(go);

    Map<Long, JobState> states = cluster.slurm().awaitJobs(jobs, Eventually.LIMIT);
    assertEquals(
        Collections.nCopies(JOBS, JobState.COMPLETED),
        List.copyOf(states.values()),
        () -> outputs(jobs));
  }

  @Test
  void withoutItTheSameJobsRunOutOfMemory() {
    try (SchedGpuCluster bare = SchedGpuCluster.start(ClusterSetup.oneDevice().withoutSchedGpu())) {
      Path go = bare.barrier("go");
      List<Long> jobs = submit(bare, List.of("--gres=gpu:1"), go);

      Eventually.that(
          "all but the two that fit fail",
          () -> jobs.stream().filter(job -> isOutOfMemory(bare, job)).count() == JOBS - 2,
          bare::situation);
      bare.open(go);

      bare.slurm().awaitJobs(jobs, Eventually.LIMIT);
    }
  }

  private static boolean isOutOfMemory(SchedGpuCluster cluster, long job) {
    return cluster.slurm().jobState(job) == JobState.FAILED
        && cluster.slurm().jobField(job, "ExitCode").equals("2:0");
  }

  private static List<Long> submit(SchedGpuCluster cluster, List<String> options, Path go) {
    List<Long> jobs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      jobs.add(cluster.sbatch(options, "alloc", 390, "until", go));
    }
    return jobs;
  }

  private boolean waits(long job) {
    return cluster.output(job).contains("schedgpu: waiting for 0.4 GiB on device 0");
  }

  private String outputs(List<Long> jobs) {
    StringBuilder text = new StringBuilder();
    jobs.forEach(job -> text.append(job).append(": ").append(cluster.output(job)).append('\n'));
    return text.toString();
  }
}
