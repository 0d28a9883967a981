package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;

/**
 * The jobs of the page about frameworks, with a stand-in for each program: it says how it was
 * called, what it finds in its environment and how large its device is, and allocates a little.
 */
final class FrameworksPageTest extends PageTest {
  private static final int DEVICE_MIB = 24 * 1024;
  private static final List<String> PROGRAMS = List.of("python", "vllm", "llama-server");
  private static final List<String> VARIABLES =
      List.of(
          "TF_FORCE_GPU_ALLOW_GROWTH", "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_CLIENT_MEM_FRACTION");

  @Override
  ClusterSetup setup() {
    ClusterSetup setup = super.setup();
    setup.deviceMiB = DEVICE_MIB;
    return setup;
  }

  /** Jobs are written down, with their output in a file of their number. */
  @Override
  void placeholders(Path bin) throws IOException {
    Page.script(
        bin.resolve("sbatch"),
        "exec $(PATH=${PATH#*:} command -v sbatch) --parsable -o %j.out \"$@\" >>jobs");
    String variables =
        String.join(" ", VARIABLES.stream().map(name -> "\"$" + name + "\"").toList());
    for (String program : PROGRAMS) {
      Page.script(
          bin.resolve(program),
          "echo \"called: %s $*\"\nprintf 'variables:'; printf ' %%s' %s; echo\nexec %s"
              .formatted(program, variables, cluster.gpuUser("info", "alloc", 100)));
    }
  }

  /** What a job printed. */
  private record Job(String called, String variables, List<Integer> totalMib) {
    static Job read(Path output) throws IOException {
      String text = Files.readString(output);
      return new Job(
          line(text, "called: "), line(text, "variables: "), Seen.numbers(text, "totalMiB"));
    }

    private static String line(String text, String start) {
      return text.lines()
          .filter(line -> line.startsWith(start))
          .map(line -> line.substring(start.length()).strip())
          .findFirst()
          .orElseThrow(() -> new AssertionError(text));
    }
  }

  private static Job job(String called, String variables, int gib) {
    return new Job(called, variables, List.of(gib * 1024));
  }

  @Test
  void eachJobSeesItsBudgetAndWhatItsFrameworkNeeds() throws IOException {
    Path folder = run("how-to/frameworks.md");

    List<Job> jobs = new ArrayList<>();
    for (String id : Files.readAllLines(folder.resolve("jobs"))) {
      JobState end = cluster.end(Long.parseLong(id));
      Path output = folder.resolve(id + ".out");
      assertEquals(JobState.COMPLETED, end, output::toString);
      jobs.add(Job.read(output));
    }
    assertEquals(
        List.of(
            job("python train.py", "true false", 6), // PyTorch
            job("python train.py", "true false", 8), // TensorFlow
            job("python train.py", "true false", 8), // JAX
            job("python train.py", "true true 0.95", 8), // JAX that preallocates
            job("vllm serve MODEL --gpu-memory-utilization 0.9", "true true 0.95", 20),
            job("llama-server -m model.gguf", "true true 0.95", 6)),
        jobs);
  }
}
