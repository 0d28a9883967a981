package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.rest.RestSubmission;
import org.schedgpu.rest.SlurmRest;
import org.schedgpu.rest.SlurmRestAddress;
import org.schedgpu.rest.SlurmRestException;

/**
 * A job through slurmrestd has no submit side that could pass options to the prolog: they come in
 * the job's environment, and the plugin registers them.
 */
final class RestTest extends ClusterTest {
  private static final String OPTION = "_SLURM_SPANK_OPTION_schedgpu_schedgpu_";

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().rest();
  }

  private long submit(Map<String, String> options, Object... actions) {
    return submit(options, Map.of(), actions);
  }

  private long submit(
      Map<String, String> options, Map<String, String> forHooks, Object... actions) {
    Map<String, String> environment = new HashMap<>(cluster.jobEnvironment());
    environment.put("PATH", "/usr/bin:/bin");
    environment.putAll(options);
    RestSubmission job =
        new RestSubmission(
            "rest",
            "#!/bin/sh\n" + cluster.gpuUser(actions) + "\n",
            cluster.slurm().paths().jobs().toString(),
            environment,
            forHooks,
            1,
            Optional.empty());
    try {
      return connect().submit(job);
    } catch (SlurmRestException e) {
      throw new AssertionError(e);
    }
  }

  private SlurmRest connect() throws SlurmRestException {
    return SlurmRest.connect(SlurmRestAddress.socket(cluster.slurm().paths().restSocket()));
  }

  @Test
  void optionsInTheEnvironmentGiveTheBudget() {
    long job = submit(Map.of(OPTION + "mem", "300M", OPTION + "priority", "high"), "info");

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertEquals(List.of(300), Seen.numbers(cluster.output(job), "totalMiB"));
  }

  @Test
  void theyReachTheRegion() {
    Path held = cluster.barrier("held");
    long job =
        submit(
            Map.of(OPTION + "mem", "300M", OPTION + "priority", "high"),
            "alloc",
            10,
            "touch",
            held,
            "until",
            cluster.barrier("never"));
    cluster.await(held);

    assertEquals(90, cluster.statusOf(job).get("priority").asInt());
    assertEquals("peak", cluster.statusOf(job).get("mode").asText());
    assertEquals(300L << 20, cluster.statusOf(job).at("/devices/0/budgetBytes").asLong());
  }

  /** The job's own environment is empty, so only the prolog can have known it. */
  @Test
  void whatIsForTheHooksReachesTheProlog() throws SlurmRestException {
    assumeTrue(
        connect().canChangeNodes(), "v0.0.38 has no spank_environment: from v0.0.40 on (23.11)");
    Path held = cluster.barrier("held");
    long job =
        submit(
            Map.of(),
            Map.of("SCHEDGPU_MEM", "320M", "SCHEDGPU_PRIORITY", "high"),
            "alloc",
            10,
            "touch",
            held,
            "until",
            cluster.barrier("never"));
    cluster.await(held);

    assertEquals(90, cluster.statusOf(job).get("priority").asInt());
    assertEquals(320L << 20, cluster.statusOf(job).at("/devices/0/budgetBytes").asLong());
  }

  @Test
  void defaultsInTheEnvironmentWorkToo() {
    long job = submit(Map.of("SCHEDGPU_MEM", "310M"), "info");

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertEquals(List.of(310), Seen.numbers(cluster.output(job), "totalMiB"));
  }

  @Test
  void wrongValuesFailTheJobAndSayWhy() {
    long job = submit(Map.of(OPTION + "mem", "much"), "info");

    assertEquals(JobState.FAILED, cluster.end(job), () -> cluster.output(job));
    assertTrue(
        cluster.output(job).contains("--schedgpu-mem=much: must be a size"),
        () -> cluster.output(job));
  }

  @Test
  void jobsWithoutOptionsRunScheduled() {
    long job = submit(Map.of(), "show");

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertEquals("slurm:" + job, Seen.in(cluster.output(job)).variable("SCHEDGPU_JOB"));
  }
}
