package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.SlurmVersion;

/** The plugins are libraries with the number of a release, made by this machine's compiler. */
class PluginReleasesTest {
  private static final String SLURM_22_05_8 = "0x160508";
  private static final String SLURM_24_11_5 = "0x180b05";
  private static final SlurmVersion INSTALLED = SlurmVersion.parse("24.11.5");

  @TempDir private Path folder;
  private Path slurmConf;

  @BeforeEach
  void writeConf() throws IOException {
    slurmConf = Files.writeString(folder.resolve("slurm.conf"), "PluginDir=" + folder + "\n");
  }

  /** Other symbols come before and after the important one. */
  private Path plugin(String name, String number) throws Exception {
    Path source =
        Files.writeString(
            folder.resolve(name + ".c"),
            """
            const char plugin_name[] = "schedgpu";
            int plugin_version_of_nobody = 1;
            const unsigned int plugin_version = %s;
            const unsigned int spank_plugin_version = 1;
            """
                .formatted(number));
    Path library = folder.resolve(name);
    Process gcc =
        new ProcessBuilder(
                "gcc", "-shared", "-nostdlib", "-fPIC", "-s", "-o", "" + library, "" + source)
            .redirectErrorStream(true)
            .start();
    String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, gcc.waitFor(), said);
    return library;
  }

  private List<Finding> check(String plugstack) throws IOException {
    Files.writeString(folder.resolve("plugstack.conf"), plugstack);
    return PluginReleases.check(slurmConf, () -> Optional.of(INSTALLED));
  }

  @Test
  void aPluginOfThisReleaseIsWell() throws Exception {
    Path plugin = plugin("schedgpu.so", "0x180b01"); // the patch level does not count
    assertEquals(
        List.of(Finding.ok("plugin", plugin + " is built for Slurm 24.11")),
        check("required " + plugin + " conf=/etc/schedgpu/schedgpu.conf\n"));
  }

  @Test
  void oursComesBeforePyxis() throws Exception {
    String ours = "required " + plugin("schedgpu.so", SLURM_24_11_5) + "\n";
    String pyxis = "required " + plugin("spank_pyxis.so", SLURM_24_11_5) + "\n";
    assertTrue(check(ours + pyxis).stream().allMatch(Finding::ok));
    assertEquals(
        Finding.problem(
            "plugin",
            "plugstack.conf has schedgpu.so behind spank_pyxis.so: programs in containers of Pyxis"
                + " run unscheduled",
            "move the line of schedgpu.so before that of Pyxis"),
        check(pyxis + ours).get(2));
    assertTrue(check(pyxis).stream().allMatch(Finding::ok)); // without ours
  }

  @Test
  void aRequiredPluginOfAnotherReleaseKeepsSlurmdFromStarting() throws Exception {
    Path plugin = plugin("schedgpu.so", SLURM_22_05_8);
    assertEquals(
        List.of(
            Finding.problem(
                "plugin",
                plugin
                    + " is built for Slurm 22.05, and this is Slurm 24.11: slurmd does not start"
                    + " with it",
                "install the one for Slurm 24.11 (schedgpu-slurm, or build it with its headers)"
                    + " before slurmd is started again")),
        check("required " + plugin + "\n"));
  }

  @Test
  void anOptionalOneIsLeftOut() throws Exception {
    Path plugin = plugin("schedgpu.so", SLURM_22_05_8);
    String text = check("optional " + plugin + "\n").get(0).text();
    assertTrue(text.endsWith("this is Slurm 24.11: Slurm continues without it"), text);
  }

  @Test
  void eachPluginOfEachFileIsLookedAt() throws Exception {
    plugin("site.so", SLURM_24_11_5);
    plugin("old.so", SLURM_22_05_8);
    Files.createDirectory(folder.resolve("plugstack.conf.d"));
    Files.writeString(folder.resolve("plugstack.conf.d/a.conf"), "required old.so\n");
    assertEquals(
        List.of(false, true),
        check("include plugstack.conf.d/*.conf\nrequired site.so\n").stream()
            .map(Finding::ok)
            .toList());
  }

  @Test
  void aPluginThatIsGoneIsNamed() throws IOException {
    assertEquals(
        "/no/schedgpu.so is not there or not readable: slurmd does not start with it",
        check("required /no/schedgpu.so\n").get(0).text());
  }

  @Test
  void withoutSlurmOrPluginsThereIsNothingToSay() throws IOException {
    assertEquals(List.of(), check("# none\n"));
    Files.writeString(folder.resolve("plugstack.conf"), "required /no/schedgpu.so\n");
    assertEquals(List.of(), PluginReleases.check(slurmConf, Optional::empty));
    Files.writeString(slurmConf, "");
    assertEquals(List.of(), check("required in-slurms-own-folder.so\n"));
    assertEquals(
        List.of(), PluginReleases.check(folder.resolve("none.conf"), () -> Optional.of(INSTALLED)));
  }

  @Test
  void aPlugstackConfThatSlurmMisreadsIsWrong() throws IOException {
    Finding finding = check("requires /x/schedgpu.so\n").get(0);
    assertTrue(finding.text().contains("is none of required, optional, include"), finding::text);
  }

  @Test
  void aFileThatIsNoPluginOrIsCutShortHasNoVersion() throws Exception {
    byte[] whole = Files.readAllBytes(plugin("whole.so", SLURM_24_11_5));
    assertEquals(0x180b05, PluginVersion.of(folder.resolve("whole.so")).orElseThrow());
    Path cut = folder.resolve("cut.so");
    for (int size = 0; size < whole.length; size += 7) {
      Files.write(cut, Arrays.copyOf(whole, size));
      OptionalInt number = PluginVersion.of(cut);
      assertEquals(0x180b05, number.orElse(0x180b05), "cut to " + size);
    }
    Files.writeString(cut, "#!/bin/sh\n".repeat(10));
    assertTrue(check("required " + cut + "\n").get(0).text().contains("is no plugin of Slurm's"));
  }
}
