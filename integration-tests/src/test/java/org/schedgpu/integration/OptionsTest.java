package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.gres.site.CliFilter;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.SlurmCommands;
import org.schedgpu.minicluster.SlurmRelease;

/** The --schedgpu-* options: where they may stand, which one wins, what is refused. */
final class OptionsTest extends ClusterTest {
  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice().countsMemory();
  }

  /** The budget that a gpu-user with {@code info} saw, in MiB. */
  private static int budget(String output) {
    List<Integer> totals = Seen.numbers(output, "totalMiB");
    assertEquals(1, totals.size(), output);
    return totals.get(0);
  }

  private String outputOf(long job) {
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    return cluster.output(job);
  }

  private Path script(String... lines) throws IOException {
    Path file = cluster.barrier("script");
    return Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
  }

  private SlurmCommands with(Map<String, String> environment) {
    return cluster.slurm().commands().with(environment);
  }

  @Test
  void srunTakesThem() {
    CommandResult result =
        cluster.srun(List.of("--gres=gpu:1", "--schedgpu-mem=300M"), "info").orThrow();

    assertEquals(300, budget(result.stdout()));
  }

  @Test
  void sbatchTakesThem() {
    long job = cluster.sbatch(List.of("--gres=gpu:1", "--schedgpu-mem=301M"), "info");

    assertEquals(301, budget(outputOf(job)));
  }

  @Test
  void sallocTakesThem() {
    List<String> command =
        new ArrayList<>(List.of("salloc", "--gres=gpu:1", "--schedgpu-mem=302M", "srun"));
    command.addAll(cluster.gpuUserWords("info"));

    assertEquals(302, budget(cluster.slurm().commands().run(command).orThrow().stdout()));
  }

  @Test
  void batchScriptTakesThem() throws IOException {
    Path script =
        script("#SBATCH --gres=gpu:1", "#SBATCH --schedgpu-mem=303M", cluster.gpuUser("info"));

    assertEquals(303, budget(outputOf(cluster.slurm().sbatch(script.toString()))));
  }

  @Test
  void mayBeAbbreviated() {
    CommandResult result = cluster.srun(List.of("--gres=gpu:1", "--schedgpu-me=304M"), "info");

    assertEquals(304, budget(result.orThrow().stdout()));
  }

  @ParameterizedTest
  @CsvSource({"40%, 480", "305, 305", "1G, 1024", "1GiB, 1024", "307200K, 300"})
  void memoryIsASizeOrAShareOfTheDevice(String value, int budgetMiB) {
    CommandResult result = cluster.srun(List.of("--gres=gpu:1", "--schedgpu-mem=" + value), "info");

    assertEquals(budgetMiB, budget(result.orThrow().stdout()));
  }

  @Test
  void whatExceedsTheBudgetFailsOrWaitsForMore() {
    List<String> small = List.of("--gres=gpu:1", "--schedgpu-mem=300M");
    List<String> growing =
        List.of("--gres=gpu:1", "--schedgpu-mem=300M", "--schedgpu-overflow=wait");

    CommandResult refused = cluster.srun(small, "alloc", 200, "alloc", 200);
    assertTrue(refused.stderr().contains("0.2 of its 0.3 GiB budget"), refused.stderr());
    cluster.srun(growing, "alloc", 200, "alloc", 200).orThrow();
  }

  /** The variables for TensorFlow and JAX in a task of a job with {@code option}. */
  private static String frameworkVariables(SlurmCommands commands, String option) {
    String script = "echo \"$TF_FORCE_GPU_ALLOW_GROWTH,$XLA_PYTHON_CLIENT_PREALLOCATE\"";
    return commands
        .run(List.of("srun", "--gres=gpu:1", option, "sh", "-c", script))
        .orThrow()
        .stdout()
        .strip();
  }

  @Test
  void withABudgetFrameworksTakeWhatTheyNeedUnlessTheUserSaysOtherwise() {
    SlurmCommands commands = cluster.slurm().commands();
    SlurmCommands users = with(Map.of("XLA_PYTHON_CLIENT_PREALLOCATE", "true"));

    assertEquals("true,false", frameworkVariables(commands, "--schedgpu-mem=300M"));
    assertEquals("true,true", frameworkVariables(users, "--schedgpu-mem=300M"));
    assertEquals(",", frameworkVariables(commands, "--schedgpu-mode=ondemand"));
  }

  @ParameterizedTest
  @CsvSource({"--schedgpu-lane, fair", "--schedgpu-lane=srtf, srtf", "--schedgpu-lane=none, ''"})
  void aLaneIsFairUnlessThePolicyIsNamed(String option, String policy) {
    String script = "echo \"$SCHEDGPU_LANE\"";
    CommandResult result =
        cluster
            .slurm()
            .commands()
            .run(
                List.of("srun", "--gres=gpu:1", "--schedgpu-mem=300M", option, "sh", "-c", script));

    assertEquals(policy, result.orThrow().stdout().strip());
  }

  @Test
  void theLaneOfABatchScriptIsThatOfItsSteps() throws IOException {
    Path script =
        script(
            "#SBATCH --gres=gpu:1",
            "#SBATCH --schedgpu-mem=300M",
            "#SBATCH --schedgpu-lane",
            "#SBATCH --schedgpu-persistent=100M",
            "echo \"$SCHEDGPU_LANE\"",
            "srun sh -c 'echo \"$SCHEDGPU_LANE\"'");

    assertEquals("fair\nfair\n", ownOutputOf(cluster.slurm().sbatch(script.toString())));
  }

  /** Without our lines: a job whose programs ask for no memory is told so at its end. */
  private String ownOutputOf(long job) {
    return outputOf(job)
        .lines()
        .filter(line -> !line.startsWith("schedgpu: "))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  @Test
  void theShareOfABatchScriptIsThatOfItsSteps() throws IOException {
    Path script =
        script(
            "#SBATCH --gres=gpu:1",
            "#SBATCH --schedgpu-mem=300M",
            "#SBATCH --schedgpu-share=3",
            "echo \"$SCHEDGPU_SHARE\" \"${LD_PRELOAD%%.so*}\"",
            "srun sh -c 'echo \"$SCHEDGPU_SHARE\"'");

    String output = ownOutputOf(cluster.slurm().sbatch(script.toString()));
    assertTrue(output.matches("3 .*/libschedgpu-launches\n3\n"), output);
  }

  @Test
  void environmentGivesDefaultsToSrun() {
    SlurmCommands commands = with(Map.of("SCHEDGPU_MEM", "306M"));

    CommandResult result = cluster.srun(commands, List.of("--gres=gpu:1"), "info");

    assertEquals(306, budget(result.orThrow().stdout()));
  }

  @Test
  void environmentGivesDefaultsToSbatch() {
    SlurmCommands commands = with(Map.of("SCHEDGPU_MEM", "307M"));

    long job = cluster.sbatch(commands, List.of("--gres=gpu:1"), cluster.gpuUser("info"));

    assertEquals(307, budget(outputOf(job)));
  }

  @Test
  void commandLineWinsOverTheScriptAndTheEnvironment() throws IOException {
    Path script =
        script("#SBATCH --gres=gpu:1", "#SBATCH --schedgpu-mem=310M", cluster.gpuUser("info"));
    SlurmCommands commands = with(Map.of("SCHEDGPU_MEM", "309M"));

    assertEquals(310, budget(outputOf(commands.sbatch(script.toString()))));
    assertEquals(311, budget(outputOf(commands.sbatch("--schedgpu-mem=311M", script.toString()))));
  }

  @Test
  void priorityModeAndWaitReachTheJob() {
    Path held = cluster.barrier("held");
    Path go = cluster.barrier("go");
    long job =
        cluster.sbatch(
            List.of(
                "--gres=gpu:1",
                "--schedgpu-mem=300M",
                "--schedgpu-priority=high",
                "--schedgpu-mode=ondemand",
                "--schedgpu-wait=90s"),
            "alloc",
            100,
            "touch",
            held,
            "until",
            go);
    cluster.await(held);

    assertEquals(90, cluster.statusOf(job).get("priority").asInt());
    assertEquals("ondemand", cluster.statusOf(job).get("mode").asText());
    assertEquals(90_000_000_000L, cluster.statusOf(job).get("waitNs").asLong());
  }

  @Test
  void whoDoesNotWaitIsReportedAtOnce() {
    Path held = cluster.barrier("held");
    cluster.sbatch(
        List.of("--gres=gpu:1", "--schedgpu-mem=800M"),
        "alloc",
        10,
        "touch",
        held,
        "until",
        cluster.barrier("never"));
    cluster.await(held);

    CommandResult result =
        cluster.srun(
            List.of("--gres=gpu:1", "--schedgpu-mem=800M", "--schedgpu-wait=0"), "alloc", 10);

    assertEquals(2, result.exitCode(), result.stderr());
    assertTrue(
        result.stderr().contains("do not fit now and the job does not wait"), result.stderr());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gate", "ondemand"})
  void overflowBesideAnotherModeIsRefusedAtSubmit(String mode) throws IOException {
    String program = script(cluster.gpuUser()).toString();

    CommandResult refused =
        cluster
            .slurm()
            .commands()
            .run(
                List.of(
                    "sbatch",
                    "--gres=gpu:1",
                    "--schedgpu-mem=300M",
                    "--schedgpu-overflow=wait",
                    "--schedgpu-mode=" + mode,
                    program));

    assertTrue(refused.exitCode() != 0, refused.stdout());
    assertTrue(
        refused.stderr().contains("--schedgpu-overflow=wait is for mode peak only"),
        refused.stderr());
  }

  @Test
  void persistentMemoryWithoutALaneIsRefusedAtSubmit() {
    CommandResult refused =
        cluster.slurm().commands().run("srun", "--gres=gpu:1", "--schedgpu-persistent=1G", "true");

    assertTrue(refused.exitCode() != 0, refused.stdout());
    assertTrue(
        refused.stderr().contains("--schedgpu-persistent=1G is for jobs with a lane"),
        refused.stderr());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--schedgpu-mem=much; must be a size (512M, 6G, 6GiB, a bare number of MiB) or a"
            + " percentage",
        "--schedgpu-mem=0; above 0",
        "--schedgpu-priority=urgent; must be low, normal, high or 0 to 100",
        "--schedgpu-priority=101; must be low, normal, high or 0 to 100",
        "--schedgpu-mode=both; must be peak, ondemand or gate",
        "--schedgpu-wait=later; must be a time (500ms, 30s, 5m",
        "--schedgpu-overflow=never; must be fail or wait",
        "--schedgpu-lane=quick; must be fair, pack, srtf, fifo or none",
        "--schedgpu-length=forever; must be a time",
        "--schedgpu-share=half; must be a weight from 1 to 1000, or none",
        "--schedgpu=maybe; must be on or off",
      })
  void wrongValuesAreRefusedAtSubmit(String option, String allowed) throws IOException {
    String program = script(cluster.gpuUser()).toString();
    for (String command : List.of("srun", "salloc", "sbatch")) {
      CommandResult result =
          cluster.slurm().commands().run(command, "--gres=gpu:1", option, program);

      assertEquals(255, result.exitCode(), command + ": " + result.stderr());
      assertTrue(result.stderr().contains(allowed), command + ": " + result.stderr());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"srun", "salloc", "sbatch"})
  void wrongDefaultsOfTheEnvironmentAreRefusedAtSubmit(String command) throws IOException {
    String program = script(cluster.gpuUser()).toString();

    CommandResult result =
        with(Map.of("SCHEDGPU_MEM", "much")).run(command, "--gres=gpu:1", program);

    assertTrue(result.exitCode() != 0, result.stderr());
    assertTrue(result.stderr().contains("environment variable SCHEDGPU_MEM"), result.stderr());
  }

  @Test
  void jobsWithoutAGpuAreLeftAlone() {
    CommandResult result =
        cluster.srun(
            with(Map.of("LD_PRELOAD", "libm.so.6")),
            List.of("--schedgpu-mem=300M", "--schedgpu-priority=high"),
            "show");

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals("libm.so.6", seen.variable("LD_PRELOAD"));
    assertEquals("", seen.variable("SCHEDGPU_JOB"));
    assertEquals("", seen.variable("CUDA_VISIBLE_DEVICES"));
  }

  @Test
  void offNamesTheDeviceAndDoesNothingElse() {
    CommandResult result = cluster.srun(List.of("--gres=gpu:1", "--schedgpu=off"), "show", "info");

    Seen seen = Seen.in(result.orThrow().stdout());
    assertEquals("0", seen.variable("CUDA_VISIBLE_DEVICES"));
    assertEquals("", seen.variable("LD_PRELOAD"));
    assertEquals("", seen.variable("SCHEDGPU_JOB"));
    assertEquals(1200, budget(result.stdout()));
  }

  @Test
  void offByEnvironmentIsOverruledOnTheCommandLine() {
    SlurmCommands off = with(Map.of("SCHEDGPU", "off"));

    CommandResult without = cluster.srun(off, List.of("--gres=gpu:1"), "show");
    CommandResult with =
        cluster.srun(off, List.of("--gres=gpu:1", "--schedgpu=on", "--schedgpu-mem=320M"), "info");

    assertEquals("", Seen.in(without.orThrow().stdout()).variable("SCHEDGPU_JOB"));
    assertEquals(320, budget(with.orThrow().stdout()));
  }

  @Test
  void moreThanTheDeviceHasIsRefusedOnTheNode() {
    CommandResult result = cluster.srun(List.of("--gres=gpu:1", "--schedgpu-mem=2G"), "info");

    assertTrue(result.exitCode() != 0, result.stderr());
    assertTrue(
        result.stderr().contains("--schedgpu-mem=2G is more than device 0 can give a job")
            && result.stderr().contains("at most 1184M"),
        result.stderr());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--gpus=1",
        "--gpus-per-node=1",
        "--gres=gpu:emulated:1",
        "--gpus-per-task=1 --ntasks=1"
      })
  void howTheGpuIsAskedForMakesNoDifference(String request) {
    List<String> options = new ArrayList<>(List.of(request.split(" ", -1)));
    options.add("--schedgpu-mem=340M");

    assertEquals(340, budget(cluster.srun(options, "info").orThrow().stdout()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"srun", "sbatch"})
  void theyDoNotTravelInTheUsersEnvironment(String command) {
    String needed = String.join(",", cluster.jobEnvironment().keySet());
    List<String> options = List.of("--export=" + needed, "--gres=gpu:1", "--schedgpu-mem=350M");

    String output =
        command.equals("srun")
            ? cluster.srun(options, "info").orThrow().stdout()
            : outputOf(cluster.sbatch(options, "info"));

    assertEquals(350, budget(output));
  }

  @Test
  void nestedJobsInheritTheOptions() {
    long job =
        cluster.sbatch(
            cluster.slurm().commands(),
            List.of("--gres=gpu:1", "--schedgpu-mem=330M"),
            "srun --overlap " + cluster.gpuUser("info"));

    assertEquals(330, budget(outputOf(job)));
  }

  /** For commands that find schedGPU's cli_filter.lua for this GRES beside their slurm.conf. */
  private SlurmCommands filtered(String gres) throws IOException {
    Path folder = Files.createTempDirectory(cluster.slurm().paths().files(), "filter");
    Path slurmConf = folder.resolve("slurm.conf");
    Files.writeString(
        slurmConf,
        "Include %s\nCliFilterPlugins=cli_filter/lua\n"
            .formatted(cluster.slurm().paths().slurmConf()));
    Files.writeString(
        folder.resolve("cli_filter.lua"), CliFilter.lines(gres, 0) + "\nreturn slurm.SUCCESS\n");
    return with(Map.of("SLURM_CONF", slurmConf.toString()));
  }

  private String gresOf(long job) {
    return cluster.slurm().jobField(job, "TresPerNode").replaceAll("gres[:/]", "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"gpu | gpu:1 | gpu:1", "gpumem | gpu:1,gpumem:307M | gpu:1,gpumem:1024M"})
  void withTheFilterMemoryAloneAsksForTheGres(String kind, String gres, String ofOneGib)
      throws IOException {
    SlurmCommands as = filtered(kind);
    String option = "--schedgpu-mem=307M";
    long job = cluster.sbatch(as, List.of(option), cluster.gpuUser("info"));
    assertEquals(307, budget(outputOf(job)));
    assertEquals(gres, gresOf(job));
    assertEquals(307, budget(cluster.srun(as, List.of(option), "info").orThrow().stdout()));
    List<String> salloc = new ArrayList<>(List.of("salloc", option, "srun"));
    salloc.addAll(cluster.gpuUserWords("info"));
    assertEquals(307, budget(as.run(salloc).orThrow().stdout()));
    job = cluster.sbatch(as, List.of("--schedgpu-mem=1G"), "true");
    assertEquals(ofOneGib, gresOf(job));
    job = cluster.sbatch(as, List.of("--gres=gpu:2", option), "true");
    assertEquals("gpu:2", gresOf(job), "what a user asks for stays");
    CommandResult share = as.run("srun", "--schedgpu-mem=40%", "true");
    assertEquals(kind.equals("gpu"), share.ok(), share::stderr);
    assertEquals(
        kind.equals("gpumem"), share.stderr().contains("alone does not say how much of which GPU"));
  }

  /** 1200 MiB in all: the second job waits in the queue of Slurm, not on the node. */
  @Test
  void withGpumemSlurmCountsTheMemory() throws IOException {
    SlurmCommands as = filtered("gpumem");
    Path end = cluster.barrier("end");
    Path has = cluster.barrier("has");
    List<String> most = List.of("--schedgpu-mem=800M");
    long first =
        cluster.sbatch(as, most, cluster.gpuUser("alloc", 100, "touch", has, "until", end));
    cluster.await(has);
    long second = cluster.sbatch(as, most, cluster.gpuUser("alloc", 100));
    // 23.11 and 24.05 without slurmdbd name no right reason for any job that waits.
    SlurmRelease slurm = SlurmRelease.installed();
    boolean told = slurm.isAtLeast(24, 11) || !slurm.isAtLeast(23, 11);
    String reason = told ? "Resources" : "Resources|InvalidAccount";
    Eventually.that(
        "Slurm lets it wait",
        () -> cluster.slurm().jobField(second, "Reason").matches(reason),
        cluster::situation);
    cluster.open(end);
    assertEquals(JobState.COMPLETED, cluster.end(first));
    assertEquals(JobState.COMPLETED, cluster.end(second));
    assertTrue(!cluster.output(second).contains("waiting"), cluster.output(second));
  }
}
