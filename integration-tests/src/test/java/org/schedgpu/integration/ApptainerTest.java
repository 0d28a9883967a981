package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.minicluster.JobState;

/**
 * Apptainer, as an ordinary user, with images of Debian and nothing of schedGPU on its command
 * line. What only emulated GPUs need is bound and set by hand.
 */
final class ApptainerTest extends ContainersTestCase {
  private static final String RUNTIME = "Apptainer";

  private String version;

  @Override
  ClusterSetup setup() {
    need("apptainer");
    // As on a site: with --contain nothing can be bound below /dev.
    return super.setup().memory(Path.of("/run"));
  }

  @BeforeAll
  void askVersion() {
    version = version(need("apptainer") + " --version");
  }

  private String apptainer(String options, Path image, String command) {
    return "env -u EMULATED_GPU_DEV_DIR %s exec %s --bind %s --bind %s %s %s %s"
        .formatted(
            need("apptainer"),
            options,
            cluster.slurm().paths().base(),
            cluster.sharedMemory(),
            variables("--env "),
            image,
            command);
  }

  @ParameterizedTest
  @CsvSource({
    "debian-11, ''",
    "debian-11, --cleanenv",
    "debian-11, --contain",
    "debian-11, --nv",
    "debian-11, --cleanenv --contain --nv",
    "debian-12, --cleanenv",
    "debian-13, --cleanenv"
  })
  void jobsQueue(String name, String options) {
    Path image = madeImage(name);
    queue(alice(), actions -> apptainer(options, image, cluster.gpuUser(actions)));
    recordRun(RUNTIME, version, options, name, "two jobs queue");
  }

  /** The library cannot work there: one line, of the step's end, and the program runs. */
  @Test
  void aProgramOfMuslRunsAsIfWeWereNotThere() {
    Path image = madeImage("musl");
    long job = cluster.sbatch(alice(), MOST_OF_IT, apptainer("--cleanenv", image, "/bin/hello"));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    List<String> lines =
        cluster.output(job).lines().filter(l -> !l.matches("(INFO|WARNING): .*")).toList();
    assertTrue(lines.contains("hello of musl"), lines::toString);
    assertTrue(lines.size() <= 2, lines::toString);
    recordRun(RUNTIME, version, "--cleanenv", "musl", "runs unscheduled");
  }

  /** Its program has no library; the job is told at its end. */
  @Test
  void whoRunsUnscheduledIsTold() throws Exception {
    Path image = madeImage("debian-11");
    cluster.configure("OverrunEvery=100ms", "EndHint=no");
    NodeAgent agent = NodeAgent.start(cluster, cluster.jobEnvironment());
    try {
      Path end = cluster.barrier("end");
      long job =
          cluster.sbatch(
              alice(),
              MOST_OF_IT,
              apptainer(
                  "--cleanenv",
                  image,
                  "env -u LD_PRELOAD " + cluster.gpuUser("alloc", 700, "until", end)));
      agent.await("unscheduled job=slurm:%d step=batch pid=".formatted(job));
      cluster.open(end);
      assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
      String output = cluster.output(job);
      assertTrue(output.contains(" ran unscheduled, with up to 716 MiB of "), output);
      recordRun(RUNTIME, version, "--cleanenv", "debian-11", "an unscheduled program is told");
    } finally {
      agent.end();
      cluster.configureAsAtStart();
    }
  }

  private void theBudgetHolds(String before, String what) {
    Path image = madeImage("debian-11");
    String command =
        apptainer("--cleanenv", image, cluster.gpuUser("info", "alloc", 700, "try", 200));
    long job = cluster.sbatch(alice(), MOST_OF_IT, before + command);
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    String output = cluster.output(job);
    assertTrue(output.contains("\"totalMiB\":800"), output);
    assertTrue(output.contains("{\"tried\":2}"), output);
    recordRun(RUNTIME, version, "--cleanenv", "debian-11", what);
  }

  @Test
  void theBudgetHolds() {
    theBudgetHolds("", "the budget holds");
  }

  /** Apptainer reads those of Singularity, too; of Singularity itself there is no package. */
  @Test
  void theBudgetHoldsByTheVariablesOfSingularityAlone() {
    theBudgetHolds(
        "unset $(env | grep -o '^APPTAINER[^=]*'); ",
        "the budget holds by the variables of Singularity alone");
  }
}
