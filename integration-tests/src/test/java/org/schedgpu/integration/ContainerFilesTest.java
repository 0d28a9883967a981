package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that a site installs for Enroot and for Slurm's own containers. */
final class ContainerFilesTest {
  private static final Map<String, String> NO_JOB = Map.of("PATH", "/usr/bin:/bin");

  @TempDir private Path folder;
  private Path libraries;
  private Path runDir;

  @BeforeEach
  void makeFolders() throws IOException {
    libraries = Files.createDirectory(folder.resolve("container"));
    runDir = Files.createDirectory(folder.resolve("run"));
  }

  /** As libschedgpu/node/container_env.c sets it. */
  private Map<String, String> job() {
    Map<String, String> job = new HashMap<>(NO_JOB);
    job.put("SCHEDGPU_BINDS", libraries + "," + runDir);
    job.put("SCHEDGPU_RUN_DIR", runDir.toString());
    job.put("CUDA_VISIBLE_DEVICES", "1");
    job.put("LD_PRELOAD", "");
    job.put("APPTAINERENV_LD_PRELOAD", libraries + "/libschedgpu-preload.so");
    return job;
  }

  private void run(Map<String, String> environment, String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    assertEquals("", output);
  }

  /** What Enroot's hook writes: mounts, then variables. */
  private List<List<String>> enroot(Map<String, String> environment) throws Exception {
    Path mounts = Files.createFile(folder.resolve("mounts"));
    Path environ = Files.createFile(folder.resolve("environ"));
    Map<String, String> all = new HashMap<>(environment);
    all.put("ENROOT_MOUNTS", mounts.toString());
    all.put("ENROOT_ENVIRON", environ.toString());
    run(all, Build.root().resolve("etc/enroot/50-schedgpu.sh").toString());
    return List.of(Files.readAllLines(mounts), Files.readAllLines(environ));
  }

  @Test
  void enrootBindsAndPassesWhatAJobNeeds() throws Exception {
    assertEquals(
        List.of(
            List.of(
                "%1$s %1$s none x-create=dir,bind,ro,nosuid,nodev,private".formatted(libraries),
                "%1$s %1$s none x-create=dir,bind,rw,nosuid,nodev,private".formatted(runDir)),
            List.of(
                "LD_PRELOAD=" + libraries + "/libschedgpu-preload.so",
                "SCHEDGPU_BINDS=" + libraries + "," + runDir,
                "SCHEDGPU_RUN_DIR=" + runDir,
                "CUDA_VISIBLE_DEVICES=1")),
        enroot(job()));
  }

  @Test
  void enrootLeavesOtherContainersAlone() throws Exception {
    assertEquals(List.of(List.of(), List.of()), enroot(NO_JOB));
  }

  private String bundle(String environment) throws Exception {
    Path config = folder.resolve("config.json");
    Files.writeString(
        config,
        "{\"process\": {\"env\": [%s]}, \"mounts\": [{\"destination\": \"/proc\"}]}"
            .formatted(environment));
    run(NO_JOB, Build.root().resolve("etc/oci/schedgpu-bundle").toString(), folder.toString());
    return Files.readString(config);
  }

  @Test
  void aBundleOfAJobGetsBinds() throws Exception {
    String environment =
        "\"SCHEDGPU_BINDS=/l,/r\", \"SCHEDGPU_RUN_DIR=/r\", \"LD_PRELOAD=/link/a.so\","
            + " \"APPTAINERENV_LD_PRELOAD=/l/a.so\"";
    var config = Json.parse(bundle(environment));
    assertEquals("LD_PRELOAD=/l/a.so", config.at("/process/env/2").asText());
    assertEquals("/proc", config.at("/mounts/0/destination").asText());
    assertEquals("/l", config.at("/mounts/1/source").asText());
    assertEquals("ro", config.at("/mounts/1/options/3").asText());
    assertEquals("/r", config.at("/mounts/2/destination").asText());
    assertEquals("rw", config.at("/mounts/2/options/3").asText());
  }

  @Test
  void otherBundlesAreLeftAlone() throws Exception {
    assertEquals(
        "{\"process\": {\"env\": [\"A=1\"]}, \"mounts\": [{\"destination\": \"/proc\"}]}",
        bundle("\"A=1\""));
  }
}
