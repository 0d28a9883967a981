package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.agent.problem.Finding;

/** What slurm.conf and plugstack.conf say of our hooks and our plugin. */
class SlurmSetupTest {
  @TempDir private Path folder;
  private Path prolog;
  private Path epilog;
  private Path plugin;

  @BeforeEach
  void install() throws IOException {
    prolog = program("schedgpu-prolog", "\u007fELF");
    epilog = program("schedgpu-epilog", "\u007fELF");
    plugin = write("schedgpu.so", "\u007fELF");
    write("plugstack.conf", "required " + plugin + "\n");
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Path program(String name, String text) throws IOException {
    Path file = write(name, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  private List<Finding> check(String text) throws IOException {
    return SlurmSetup.check(write("slurm.conf", text));
  }

  private Finding prolog(String value) throws IOException {
    return check("Prolog=" + value + "\nEpilog=" + epilog + "\n").get(0);
  }

  private void assertProblem(String text, Finding finding) {
    assertFalse(finding.ok(), finding::toString);
    assertTrue(finding.text().endsWith(text), finding::text);
  }

  @Test
  void slurmThatCallsUsIsWell() throws IOException {
    write("hooks.conf", "Prolog=" + prolog + "\n# Epilog=/x\n");
    Path script = program("site", "#!/bin/sh\nexec " + epilog + "\n");
    List<Finding> findings = check("include hooks.conf\nEpilog=" + script + "\n");
    assertEquals(
        List.of("prolog", "epilog", "spank"), findings.stream().map(Finding::what).toList());
    assertTrue(findings.stream().allMatch(Finding::ok), findings::toString);
  }

  @Test
  void slurmThatDoesNotCallUsIsWrong() throws IOException {
    Files.delete(folder.resolve("plugstack.conf"));
    Path conf = folder.resolve("slurm.conf");
    assertEquals(
        List.of(
            conf + " has no Prolog that calls schedgpu-prolog",
            conf + " has no Epilog that calls schedgpu-epilog",
            folder.resolve("plugstack.conf") + " does not load the schedgpu plugin"),
        check("#Prolog=" + prolog + "\nEpilog=/bin/true\n").stream().map(Finding::text).toList());
  }

  @Test
  void aProgramThatIsNotThereIsWrong() throws IOException {
    assertProblem("names /no/schedgpu-prolog, which is not there", prolog("/no/schedgpu-prolog"));
    assertProblem("which is not there", prolog(prolog + "ue"));
    Files.setPosixFilePermissions(prolog, PosixFilePermissions.fromString("rw-r--r--"));
    assertProblem("which is not executable", prolog(prolog.toString()));
  }

  @Test
  void theEpilogIsNoProlog() throws IOException {
    assertProblem("has no Prolog that calls schedgpu-prolog", prolog(epilog.toString()));
  }

  @Test
  void aLinkAndAPatternAreFollowed() throws IOException {
    Files.createDirectory(folder.resolve("prolog.d"));
    program("prolog.d/10-site", "#!/bin/sh\n");
    Files.createSymbolicLink(folder.resolve("prolog.d/50-schedgpu"), prolog);
    assertTrue(prolog(folder + "/prolog.d/*").ok());
    Files.delete(folder.resolve("prolog.d/50-schedgpu"));
    assertProblem("has no Prolog that calls schedgpu-prolog", prolog(folder + "/prolog.d/*"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exec @",
        "\"@\" || exit 1",
        "if ! @; then exit 1; fi",
        "timeout 20 @",
        "A=1 nice -n 5 @ # ours",
        "P=@\n\"$P\"",
        "test -d /x && @"
      })
  void aScriptThatCallsIt(String text) throws IOException {
    Path site = program("site", "#!/bin/bash\n" + text.replace("@", "" + prolog) + "\n");
    assertTrue(prolog(site.toString()).ok());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"# exec @", "true # @", "echo @", "test -x @ && true", "P=@", "logger no @ here"})
  void aScriptThatOnlyNamesIt(String text) throws IOException {
    Path site = program("site", "#!/bin/bash\n" + text.replace("@", "" + prolog) + "\n");
    assertProblem("has no Prolog that calls schedgpu-prolog", prolog(site.toString()));
  }

  @Test
  void aScriptThatCallsWhatIsNotThere() throws IOException {
    Path site = program("site", "#!/bin/sh\n/no/schedgpu-prolog\n");
    assertProblem(
        "site, which calls /no/schedgpu-prolog, which is not there", prolog(site.toString()));
    Path python = program("site.py", "#!/usr/bin/env python3\nrun(['" + prolog + "'])\n");
    assertTrue(prolog(python.toString()).ok());
  }

  @Test
  void aPluginLineThatIsACommentLoadsNothing() throws IOException {
    write("plugstack.conf", "#required " + plugin + "\n");
    assertProblem("does not load the schedgpu plugin", check("").get(2));
    write("plugstack.conf", "optional /x/other.so conf=/etc/schedgpu/schedgpu.conf\n");
    assertProblem("does not load the schedgpu plugin", check("").get(2));
    write("plugstack.conf", "required /no/schedgpu.so\n");
    assertProblem("names /no/schedgpu.so, which is not there", check("").get(2));
    Files.createDirectory(folder.resolve("p.d"));
    write("p.d/s.conf", "optional schedgpu.so\n");
    write("plugstack.conf", "include p.d/*.conf\n");
    assertTrue(check("").get(2).ok());
  }

  @Test
  void includesThatGoRoundEnd() throws IOException {
    assertEquals(3, check("Include slurm.conf\n").size());
  }

  @Test
  void slurmConfIsNamedByTheEnvironment() {
    assertEquals(
        Optional.of(Path.of("/x/slurm.conf")),
        SlurmSetup.find(Map.of("SLURM_CONF", "/x/slurm.conf")));
    assertEquals(
        "/x/slurm.conf cannot be read", SlurmSetup.check(Path.of("/x/slurm.conf")).get(0).text());
  }

  /** Configless Slurm has no /etc/slurm on its nodes. */
  @Test
  void slurmConfMayBeInTheCacheOfSlurmd() throws IOException {
    Path cache = write("slurm.conf", "");
    List<Path> places = List.of(folder.resolve("etc/slurm.conf"), cache);
    assertEquals(Optional.of(cache), SlurmSetup.find(Map.of(), places));
    Files.delete(cache);
    assertEquals(Optional.empty(), SlurmSetup.find(Map.of(), places));
  }
}
