package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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

  /** A user may have removed some of them; the container starts all the same. */
  @Test
  void enrootStartsWithoutSomeOfTheVariables() throws Exception {
    Map<String, String> some = job();
    some.keySet().removeAll(List.of("APPTAINERENV_LD_PRELOAD", "SCHEDGPU_RUN_DIR"));
    List<List<String>> written = enroot(some);
    assertEquals(2, written.get(0).size());
    assertEquals(
        List.of("SCHEDGPU_BINDS=" + libraries + "," + runDir, "CUDA_VISIBLE_DEVICES=1"),
        written.get(1));
  }

  private String bundle(String environment) throws Exception {
    return bundle(environment, Map.of());
  }

  /** With what the plugin left beside it. */
  private String bundle(String environment, Map<String, String> left) throws Exception {
    Path config = folder.resolve("config.json");
    Files.writeString(
        config,
        "{\"process\": {\"env\": [%s]}, \"mounts\": [{\"destination\": \"/proc\"}]}"
            .formatted(environment));
    Map<String, String> all = new HashMap<>(NO_JOB);
    left.forEach((name, value) -> all.put("SCHEDGPU_BUNDLE_" + name, value));
    run(all, Build.root().resolve("etc/oci/schedgpu-bundle").toString(), folder.toString());
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
  void aBundleWithoutSomeOfTheVariablesGetsItsBinds() throws Exception {
    var config = Json.parse(bundle("\"SCHEDGPU_BINDS=/l\""));
    assertEquals("/l", config.at("/mounts/1/source").asText());
  }

  /** As spank-plugin-c/bundle.c leaves it: a step outside a batch job. */
  @Test
  void aBundleGetsTheVariablesThatThePluginLeft() throws Exception {
    var config =
        Json.parse(
            bundle(
                "\"CUDA_VISIBLE_DEVICES=0,1\", \"HOME=\"",
                Map.of("SCHEDGPU_BINDS", "/l", "CUDA_VISIBLE_DEVICES", "1")));
    assertEquals("CUDA_VISIBLE_DEVICES=1", config.at("/process/env/0").asText());
    assertEquals("HOME=", config.at("/process/env/1").asText());
    assertEquals("SCHEDGPU_BINDS=/l", config.at("/process/env/2").asText());
    assertEquals("/l", config.at("/mounts/1/source").asText());
  }

  /** A step without schedGPU within a scheduled job. */
  @Test
  void aBundleLosesTheVariablesThatThePluginTookAway() throws Exception {
    assertEquals(
        "{\"process\": {\"env\": [\"A=1\"]}, \"mounts\": [{\"destination\": \"/proc\"}]}",
        bundle(
            "\"SCHEDGPU_BINDS=/l\", \"A=1\", \"LD_PRELOAD=/l/a.so\"",
            Map.of("SCHEDGPU_BINDS", "", "LD_PRELOAD", "", "APPTAINERENV_LD_PRELOAD", "")));
  }

  /** Its environment may have secrets of the user. */
  @Test
  void aBundleKeepsItsMode() throws Exception {
    Path config = Files.createFile(folder.resolve("config.json"));
    Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-------"));
    bundle("\"SCHEDGPU_BINDS=/l\"");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(config)));
    assertEquals(List.of(), leftovers());
  }

  private List<Path> leftovers() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".schedgpu")).toList();
    }
  }

  @Test
  void otherBundlesAreLeftAlone() throws Exception {
    assertEquals(
        "{\"process\": {\"env\": [\"A=1\"]}, \"mounts\": [{\"destination\": \"/proc\"}]}",
        bundle("\"A=1\""));
  }
}
