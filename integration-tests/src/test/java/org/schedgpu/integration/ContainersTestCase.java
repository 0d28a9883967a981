package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/** Jobs whose programs run in containers share a device as others do. */
abstract class ContainersTestCase extends ClusterTest {
  static final List<String> MOST_OF_IT = List.of("--gres=gpu:1", "--schedgpu-mem=800M");

  /** An ordinary user. */
  static final String USER = "sgalice";

  private TestUser user;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  @BeforeAll
  void makeUser() {
    user = TestUsers.ensure(USER);
  }

  @AfterAll
  void removeUser() {
    if (user != null) {
      user.close();
    }
  }

  SlurmCommands alice() {
    return cluster.slurm().as(user.name());
  }

  /** Where the program is; skips the test if this host does not have it. */
  static Path need(String program) {
    Optional<Path> found =
        Stream.of("/usr/local/bin/", "/usr/bin/", "/usr/sbin/")
            .map(folder -> Path.of(folder + program))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(found.isPresent(), program + " is not installed");
    return found.get();
  }

  /** An image of build-support/container-image; skips the test if nobody has made it. */
  Path madeImage(String name) {
    CommandResult result =
        cluster
            .slurm()
            .run(
                List.of(
                    Build.root().resolve("build-support/container-image").toString(), "-c", name),
                Map.of(),
                null);
    assumeTrue(result.ok(), result.stderr().strip());
    return Path.of(result.stdout().strip());
  }

  /**
   * Two jobs, of which one fits, run one after the other; the second says so.
   *
   * @param command of the shell that runs the GPU program with these actions in a container
   */
  void queue(SlurmCommands as, Function<Object[], String> command) {
    Path held = cluster.barrier("held");
    Path go = cluster.barrier("go");
    String first = command.apply(new Object[] {"alloc", 700, "touch", held, "until", go});
    long holder = cluster.sbatch(as, MOST_OF_IT, first);
    Eventually.that(
        "the first holds its memory",
        () -> Files.exists(held) || cluster.slurm().jobState(holder).isFinished(),
        () -> cluster.output(holder) + cluster.situation());
    assertTrue(Files.exists(held), () -> cluster.output(holder));
    long waiter = cluster.sbatch(as, MOST_OF_IT, command.apply(new Object[] {"alloc", 700}));
    cluster.awaitOutput(waiter, "schedgpu: waiting for 0.8 GiB on device 0");
    cluster.open(go);
    assertEquals(JobState.COMPLETED, cluster.end(holder), () -> cluster.output(holder));
    assertEquals(JobState.COMPLETED, cluster.end(waiter), () -> cluster.output(waiter));
    assertTrue(cluster.output(waiter).contains("schedgpu: got 0.8 GiB"), cluster.output(waiter));
  }

  /**
   * For `make matrix ON=sid-containers`, which makes a table of these lines.
   *
   * @param runtime as docs/how-to/containers.md names it
   */
  static void recordRun(String runtime, String version, String way, String image, String what) {
    Path file = Path.of("target/container-runs.tsv");
    String line = String.join("\t", runtime, version, way, image, what) + "\n";
    try {
      Files.writeString(
          file, line, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What emulated GPUs need inside, as options of a runtime: prefix KEY=VALUE. */
  String variables(String prefix) {
    return cluster.jobEnvironment().entrySet().stream()
        // A device node in a bound folder cannot be opened there.
        .filter(entry -> !entry.getKey().equals("EMULATED_GPU_DEV_DIR"))
        .map(entry -> prefix + entry.getKey() + "=" + entry.getValue())
        .sorted()
        .collect(Collectors.joining(" "));
  }

  /** The last word of the first line that a command of the shell prints. */
  String version(String command) {
    List<String> words = List.of("sh", "-c", command + " 2>&1");
    String said = cluster.slurm().run(words, Map.of("USER", "root"), null).orThrow().stdout();
    String line = said.lines().findFirst().orElse("?");
    return line.substring(line.lastIndexOf(' ') + 1);
  }
}
