package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of Slurm's manual pages and packages are read as described, and written back
 * unchanged.
 */
class ManualExamplesTest {
  private static final Path INSTALLED = Path.of("/usr/share/doc/slurm-client/examples");

  @TempDir Path folder;

  private static Path manual(String name) {
    try {
      return Path.of(ManualExamplesTest.class.getResource("manual/" + name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static GresConfig gres(String name) {
    GresConfig config = GresConfig.read(manual(name));
    assertEquals(List.of(), config.warnings());
    return config;
  }

  private static List<String> filesOf(GresConfig config, String node) {
    return config.linesFor(node).stream().flatMap(line -> line.files().stream()).toList();
  }

  @Test
  void slurmConf() {
    SlurmConfig config = SlurmConfig.read(manual("slurm.conf"));
    assertEquals(List.of(), config.warnings());
    assertEquals(26, config.nodes().size());
    assertEquals("edev25", config.node("dev25").orElseThrow().address());
    assertEquals(17, config.partition("debug").orElseThrow().nodes().size());
    assertEquals(9, config.partition("long").orElseThrow().nodes().size());
    InstalledSlurm slurm = new InstalledSlurm(folder);
    slurm.assume2205();
    assertEquals(0, slurm.readsFile(manual("slurm.conf")).status());
  }

  @Test
  void includeWithTheClustersName() {
    assertTrue(SlurmConfig.read(manual("slurm-include.conf")).node("n1").isPresent());
  }

  @Test
  void linesForCgroups() {
    SlurmConfig config = SlurmConfig.read(manual("slurm-cgroup.conf"));
    assertEquals("Contain", config.setting("PrologFlags").orElseThrow().value());
    ConfTree cgroup = ConfTree.read(manual("cgroup.conf"), ConfKind.CGROUP_CONF);
    assertEquals(List.of(), cgroup.warnings());
    assertEquals("yes", cgroup.lines().get(3).value("ConstrainDevices").orElseThrow());
  }

  @Test
  void gresConfs() {
    assertEquals(4, gres("gres-mps.conf").linesFor("any").size());
    assertEquals(
        List.of("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia3"),
        filesOf(gres("gres-explicit.conf"), "any"));
    assertEquals(
        List.of("/dev/nvidia0", "/dev/nvidia2", "/dev/nvidia3"),
        filesOf(gres("gres-one-file.conf"), "tux3"));
    assertEquals(4, filesOf(gres("gres-one-file.conf"), "tux15").size());
    GresConfig butOne = gres("gres-nvml-but-one.conf");
    assertEquals("off", butOne.autoDetect("tux3").orElseThrow().value());
    assertEquals("nvml", butOne.autoDetect("tux4").orElseThrow().value());
    GresConfig detectors = gres("gres-detectors.conf");
    assertEquals("rsmi", detectors.autoDetect("tux9").orElseThrow().value());
    assertTrue(detectors.autoDetect("tux12").isEmpty());
    assertEquals(4L << 30, gres("gres-count-only.conf").linesFor("tux7").get(0).count());
  }

  @Test
  void plugins() {
    assertEquals(2, PlugStack.read(manual("plugstack.conf")).plugins().size());
  }

  private static InputStream opened(Path file) throws IOException {
    InputStream stream = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(stream) : stream;
  }

  @Test
  void examplesOfTheInstalledPackage() throws IOException {
    assumeTrue(Files.isDirectory(INSTALLED), "no " + INSTALLED + ": install slurm-client");
    int read = 0; // of 22.05 they are packed
    try (Stream<Path> all = Files.list(INSTALLED)) {
      for (Path file : all.filter(file -> !file.toString().endsWith(".sh")).toList()) {
        try (InputStream stream = opened(file)) {
          byte[] bytes = stream.readAllBytes();
          assertArrayEquals(bytes, ConfFile.parse(file, bytes).bytes(), file.toString());
          read++;
        }
      }
    }
    assertTrue(read > 0);
  }
}
