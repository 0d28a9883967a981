package org.schedgpu.agent.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.problem.AgentException;

class ContainerOptionsTest {
  private static final String LIBRARIES = "/l/schedgpu/container";
  private static final String PRELOAD = LIBRARIES + "/libschedgpu-preload.so";

  @TempDir private Path runDir;

  /** As libschedgpu/node/container_env.c sets it. */
  private Map<String, String> job() {
    Map<String, String> job = new HashMap<>();
    job.put("SCHEDGPU_JOB", "slurm:42");
    job.put("SCHEDGPU_RUN_DIR", runDir.toString());
    job.put("SCHEDGPU_DEVICES", "GPU-1");
    job.put("SCHEDGPU_BINDS", LIBRARIES + "," + runDir);
    job.put("LD_PRELOAD", PRELOAD + ":/users.so");
    job.put("APPTAINERENV_LD_PRELOAD", PRELOAD + ":/users.so");
    job.put("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
    job.put("HOME", "/root");
    return job;
  }

  private static List<String> arguments(ContainerRuntime runtime, Map<String, String> environment) {
    return ContainerOptionsCommand.arguments(runtime, environment);
  }

  @Test
  void anEngineGetsTheHostsMemoryBindsAndVariables() {
    List<String> expected =
        List.of(
            "--ipc=host",
            "--volume=" + LIBRARIES + ":" + LIBRARIES + ":ro",
            "--volume=" + runDir + ":" + runDir + ":rw",
            "--env=LD_PRELOAD=" + PRELOAD,
            "--env=SCHEDGPU_RUN_DIR=" + runDir,
            "--env=SCHEDGPU_BINDS",
            "--env=SCHEDGPU_DEVICES",
            "--env=SCHEDGPU_JOB",
            "--env=XLA_PYTHON_CLIENT_PREALLOCATE",
            "--env=CUDA_VISIBLE_DEVICES=GPU-1");
    assertEquals(expected, arguments(ContainerRuntime.PODMAN, job()));
    assertEquals(expected, arguments(ContainerRuntime.DOCKER, job()));
  }

  @Test
  void servedByTheAgentItNeedsNoMemoryOfTheHost() throws IOException {
    Files.createFile(runDir.resolve("agent.sock"));
    assertTrue(arguments(ContainerRuntime.PODMAN, job()).stream().noneMatch("--ipc=host"::equals));
  }

  @Test
  void charliecloudHasThePathsThatItsImagesHave() {
    assertEquals(
        List.of(
            "--bind=" + LIBRARIES + ":/mnt/9",
            "--bind=" + runDir + ":/mnt/8",
            "--set-env=LD_PRELOAD=/mnt/9/libschedgpu-preload.so",
            "--set-env=SCHEDGPU_RUN_DIR=/mnt/8"),
        arguments(ContainerRuntime.CHARLIECLOUD, job()));
  }

  /** Where PreloadLibrary names a file in a folder of other files, that file alone is bound. */
  @Test
  void charliecloudBindsTheFolderOfALibraryThatIsBoundAlone() {
    Map<String, String> job = job();
    job.put("SCHEDGPU_BINDS", "/opt/lib/libschedgpu-preload.so," + runDir);
    job.put("APPTAINERENV_LD_PRELOAD", "/opt/lib/libschedgpu-preload.so");
    List<String> arguments = arguments(ContainerRuntime.CHARLIECLOUD, job);
    assertEquals("--bind=/opt/lib:/mnt/9", arguments.get(0));
    assertEquals("--set-env=LD_PRELOAD=/mnt/9/libschedgpu-preload.so", arguments.get(2));
  }

  @Test
  void aLaneJobAlsoGetsTheModule() {
    Map<String, String> job = job();
    job.put("SCHEDGPU_BINDS", LIBRARIES + "," + runDir + ",/s/schedgpu/python");
    job.put("APPTAINERENV_PYTHONPATH", "/s/schedgpu/python:/users");
    assertTrue(
        arguments(ContainerRuntime.CHARLIECLOUD, job)
            .containsAll(
                List.of("--bind=/s/schedgpu/python:/mnt/7", "--set-env=PYTHONPATH=/mnt/7")));
    assertTrue(
        arguments(ContainerRuntime.APPTAINER, job)
            .containsAll(
                List.of("--bind=/s/schedgpu/python", "--env=PYTHONPATH=/s/schedgpu/python")));
  }

  @Test
  void apptainerGetsNoBindTwice() {
    Map<String, String> job = job();
    job.put("APPTAINER_BIND", "/users," + LIBRARIES);
    assertEquals(
        List.of(
            "--bind=" + runDir, "--env=LD_PRELOAD=" + PRELOAD, "--env=SCHEDGPU_RUN_DIR=" + runDir),
        arguments(ContainerRuntime.APPTAINER, job));
  }

  @Test
  void behindAGateAContainerNeedsNothing() {
    assertEquals(List.of(), arguments(ContainerRuntime.PODMAN, Map.of("SCHEDGPU_JOB", "run:1")));
  }

  @Test
  void aPathOfSeveralWordsIsRefused() {
    Map<String, String> job = job();
    job.put("SCHEDGPU_BINDS", "/l,/run/my run");
    String told = assertThrows(AgentException.class, () -> JobNeeds.of(job)).getMessage();
    assertEquals(
        "/l,/run/my run: paths with blanks or colons cannot be bound: choose other folders", told);
  }

  @Test
  void outsideOfAJobItSaysSo() {
    Cli cli = Cli.run("container-options", "podman");
    assertEquals(1, cli.exitCode());
    assertEquals(
        "schedgpu: this is not inside a job that is scheduled: call it in a job of Slurm with a"
            + " GPU, or under schedgpu run\n",
        cli.err());
  }

  @Test
  void anUnknownRuntimeIsWrongUsage() {
    Cli cli = Cli.run("container-options", "rkt");
    assertEquals(2, cli.exitCode());
    assertTrue(
        cli.err().contains("rkt: must be podman, docker, charliecloud, apptainer or cdi"),
        cli::err);
  }
}
