package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.TestUser;
import org.schedgpu.minicluster.TestUsers;

/**
 * The agent learns what jobs used, prints it at their end, and writes it into Slurm's comment. With
 * a real Slurm.
 */
final class SuggestTest extends ClusterTest {
  private static final String OPTION = "--schedgpu-mem=512M";

  private TestUser alice;
  private Process agent;
  private Path log;
  private Path token;

  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().restJwt();
  }

  @BeforeAll
  void startAgent() throws IOException {
    alice = TestUsers.ensure("sgalice");
    // Only an operator may write comments of others' jobs.
    token = Files.createTempFile(cluster.slurm().paths().files(), "token", "");
    Files.writeString(token, cluster.slurm().restToken("root"));
    configure("DefaultMem=learned");
    log = Files.createTempFile(cluster.slurm().paths().files(), "agent", ".log");
    String conf = cluster.installation().schedgpuConf().toString();
    agent =
        cluster
            .slurm()
            .commands()
            .with(Map.of("SLURMD_NODENAME", cluster.node()))
            .prepare(List.of(Build.command().toString(), "agent", "--config", conf))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Eventually.that("the agent is ready", () -> read(log).contains("ready: process"), this::log);
  }

  @AfterAll
  void endAgent() throws InterruptedException {
    if (agent != null) {
      agent.destroy();
      agent.waitFor();
    }
    if (alice != null) {
      alice.close();
    }
  }

  private void configure(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("SlurmComment=comment");
    all.add("SlurmRest=" + cluster.slurm().restUrl());
    all.add("SlurmRestUser=root");
    all.add("SlurmRestToken=" + token);
    all.add("ContextFile=" + cluster.sharedMemory().resolve("contexts"));
    cluster.configure(all.toArray(new String[0]));
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String log() {
    return read(log) + cluster.situation();
  }

  private void runToItsEnd(SlurmCommands as, List<String> options, Object... actions) {
    long job = cluster.sbatch(as, options, cluster.gpuUser(actions));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
  }

  private CommandResult suggest(SlurmCommands as, String... words) {
    List<String> command = new ArrayList<>(List.of(Build.command().toString(), "suggest"));
    command.addAll(List.of("--run-dir", cluster.runDir().toString()));
    command.addAll(List.of(words));
    return as.run(command);
  }

  private void awaitLearned(String line) {
    Path table = cluster.runDir().resolve("learned");
    Eventually.that("'" + line + "' in " + table, () -> read(table).contains(line), this::log);
  }

  /** The budget of a job that names none, from the agent's table. */
  @Test
  void twoRunsTeachWhatTheThirdGets() {
    SlurmCommands root = cluster.slurm().commands();
    List<String> train = List.of("--gres=gpu:1", "--job-name=train it");
    runToItsEnd(root, train, "alloc", 200);
    runToItsEnd(root, train, "alloc", 180);
    Eventually.that(
        "two runs are known",
        () -> suggest(root, "train it", "--json").stdout().contains("\"runs\": 2"),
        this::log);
    awaitLearned("0 536870912 train it\n");

    CommandResult direct = cluster.srun(train, "info").orThrow();
    assertEquals(List.of(512), Seen.numbers(direct.stdout(), "totalMiB"));
    assertTrue(
        direct
            .stderr()
            .contains(
                "no --schedgpu-mem: 0.5 GiB, as earlier runs of train it needed; for more it"
                    + " waits"),
        direct.stderr());

    // the learned budget is too small: the job waits for more, and is not ended
    long larger = cluster.sbatch(train, "info", "alloc", 300, "alloc", 400);
    assertEquals(JobState.COMPLETED, cluster.end(larger), () -> cluster.output(larger));
    assertEquals(List.of(512), Seen.numbers(cluster.output(larger), "totalMiB"));
    awaitLearned("0 1073741824 train it\n");

    JsonNode known =
        Json.parse(suggest(root, "train it", "--json").orThrow().stdout()).at("/suggestions/0");
    assertEquals(700L << 20, known.get("usedBytes").asLong(), known::toPrettyString);
    assertEquals("--schedgpu-mem=1G", known.get("option").asText());
  }

  @Test
  void usersSeeWhatIsTheirs() {
    SlurmCommands user = cluster.slurm().as(alice.name());
    runToItsEnd(user, List.of("--gres=gpu:1", "--job-name=hers"), "alloc", 150);
    runToItsEnd(
        cluster.slurm().commands(), List.of("--gres=gpu:1", "--job-name=roots"), "alloc", 150);
    Eventually.that(
        "both jobs are known to root",
        () -> {
          String known = suggest(cluster.slurm().commands()).stdout();
          return known.contains("hers") && known.contains("roots");
        },
        this::log);

    assertEquals(OPTION, suggest(user, "hers", "--option").orThrow().stdout().strip());
    String all = suggest(user).orThrow().stdout();
    assertTrue(all.contains("hers") && !all.contains("roots"), all);
    CommandResult none = suggest(user, "roots");
    assertEquals(1, none.exitCode(), none.stdout());
    assertTrue(none.stderr().contains("nothing is known of jobs named roots"), none.stderr());
  }

  /** The output on the page, as an ordinary user; learned values appear a moment later. */
  @Test
  void thePageShowsWhatIsSaid() throws IOException {
    Path bin = Files.createDirectory(cluster.slurm().paths().files().resolve("page"));
    String command = Build.command().toString();
    Page.script(bin.resolve("your-program"), "exec " + cluster.gpuUser("alloc", 300));
    Page.script(
        bin.resolve("schedgpu"),
        "[ $1 != suggest ] || for i in $(seq 400); do %s suggest train >&- 2>&- && break; done\n"
                .formatted(command)
            + "exec "
            + command
            + " \"$@\"");
    for (Page.Shown shown : Page.shownBy(Page.named("how-to/ask-for-the-right-amount.md"))) {
      CommandResult result =
          cluster
              .slurm()
              .as(alice.name())
              .run(List.of("bash", "-c", "PATH=%s:$PATH; %s 2>&1".formatted(bin, shown.command())));
      String output =
          result
              .orThrow()
              .stdout()
              .replace("schedgpu: " + cluster.node(), "schedgpu: gpu1")
              .replaceAll("slurm:[0-9]+", "slurm:4711")
              .replaceAll("run:[0-9]+", "run:8125")
              .replaceAll("\\bsgalice\\b", "alice");
      assertTrue(shown.isIn(output), () -> shown + "\n" + output);
    }
  }

  @Test
  void whoAskedForTooMuchIsReportedAtTheEnd() {
    List<String> options = List.of("--gres=gpu:1", "--schedgpu-mem=900M");
    String told = "used at most 100 MiB of 900 MiB asked on device 0; " + OPTION + " would do";
    long job = cluster.sbatch(options, "alloc", 100);

    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    assertTrue(
        cluster
            .output(job)
            .contains("schedgpu: %s: slurm:%d %s".formatted(cluster.node(), job, told)),
        () -> cluster.output(job));
    CommandResult direct = cluster.srun(options, "alloc", 100).orThrow();
    assertTrue(direct.stderr().contains(told), direct.stderr());
    CommandResult right = cluster.srun(options, "alloc", 800).orThrow();
    assertFalse(right.stderr().contains("used at most"), right.stderr());
    configure("DefaultMem=learned", "EndHint=no");
    CommandResult silent = cluster.srun(options, "alloc", 100).orThrow();
    configure("DefaultMem=learned");
    assertFalse(silent.stderr().contains("used at most"), silent.stderr());
  }

  /** A job that runs until {@code go} exists. */
  private long hold(Path go, String... options) {
    Path held = cluster.barrier("held");
    List<String> all = new ArrayList<>(List.of("--gres=gpu:1", "--schedgpu-mem=300M"));
    all.addAll(List.of(options));
    long job = cluster.sbatch(all, "alloc", 100, "touch", held, "until", go);
    cluster.await(held);
    return job;
  }

  private String comment(long job) {
    return cluster
        .slurm()
        .run(List.of("scontrol", "show", "job", Long.toString(job)), Map.of(), null)
        .orThrow()
        .stdout()
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("Comment="))
        .findFirst()
        .orElse("");
  }

  @Test
  void slurmsCommentSaysWhatARunningJobUsesUnlessSomebodyWroteOne() {
    Path go = cluster.barrier("go");
    long users = hold(go, "--comment=do not touch");
    long ours = hold(go);

    Eventually.that(
        "a comment",
        () -> comment(ours).equals("Comment=schedgpu: peak 100 MiB of 300 MiB, device 0"),
        () -> comment(ours) + log());
    assertEquals("Comment=do not touch", comment(users));
    cluster.open(go);
    assertEquals(JobState.COMPLETED, cluster.end(ours), () -> cluster.output(ours));
    assertEquals("Comment=schedgpu: peak 100 MiB of 300 MiB, device 0", comment(ours));
  }
}
