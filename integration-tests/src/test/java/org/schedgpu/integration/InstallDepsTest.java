package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code build-support/install-deps} installs, with a fake dpkg and apt. */
class InstallDepsTest {
  private static final Path SCRIPT =
      Path.of("../build-support/install-deps").toAbsolutePath().normalize();

  @TempDir Path folder;

  /** {@code has}: packages of the release; {@code installed}: those that are there. */
  @BeforeEach
  void fakes() throws IOException {
    fake(
        "dpkg-query",
        "for p; do :; done; grep -qx \"$p\" installed && printf 'install ok installed'");
    fake("apt-cache", "for p; do :; done; grep -qx \"$p\" has");
    fake("apt-get", "[ \"$1\" = update ] || echo \"$@\" >> got");
    fake("id", "echo 0");
    Files.writeString(folder.resolve("installed"), "");
  }

  private void fake(String name, String script) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    assertTrue(file.toFile().setExecutable(true));
  }

  private List<String> installs(String has, String... needs) throws Exception {
    Files.writeString(folder.resolve("has"), has.replace(' ', '\n') + "\n");
    Files.deleteIfExists(folder.resolve("got"));
    List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
    command.addAll(List.of(needs));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("PATH", folder + ":/usr/bin:/bin");
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    Path got = folder.resolve("got");
    return Files.exists(got) ? List.of(Files.readString(got).strip().split(" +")) : List.of();
  }

  @Test
  void theJdkIsThatOfTheRelease() throws Exception {
    String bookworm = "gcc openjdk-17-jdk-headless default-jdk-headless libslurm-dev";
    assertTrue(installs(bookworm, "build").contains("openjdk-17-jdk-headless"));
    String trixie = "gcc openjdk-21-jdk-headless default-jdk-headless libslurm-dev";
    List<String> there = installs(trixie, "build");
    assertTrue(there.contains("openjdk-21-jdk-headless"), there::toString);
    assertTrue(!there.contains("openjdk-17-jdk-headless"), there::toString);
    String later = "gcc default-jdk-headless slurm-smd-dev";
    there = installs(later, "build");
    assertTrue(
        there.containsAll(List.of("default-jdk-headless", "slurm-smd-dev")), there::toString);
  }

  @Test
  void oneOfThemIsEnough() throws Exception {
    Files.writeString(
        folder.resolve("installed"),
        "gcc\n"
            + "libc6-dev\n"
            + "make\n"
            + "maven\n"
            + "openjdk-25-jdk-headless\n"
            + "slurm-smd-dev\n"
            + "musl-tools\n"
            + "python3\n");
    assertEquals(List.of(), installs("gcc openjdk-17-jdk-headless", "build"));
  }

  @Test
  void packagesAreMadeWithoutWhatOnlyTestsNeed() throws Exception {
    List<String> made = installs("gcc", "build", "packages");
    assertTrue(made.containsAll(List.of("maven", "debhelper", "rpm")), made::toString);
    List<String> all = installs("gcc");
    for (String test : List.of("chromium", "slurmctld", "mariadb-server-core", "prometheus")) {
      assertTrue(!made.contains(test), test);
      assertTrue(all.contains(test), test);
    }
  }
}
