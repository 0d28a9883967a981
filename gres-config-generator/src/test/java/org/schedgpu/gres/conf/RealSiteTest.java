package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files like those of real sites: about 400 lines by three people in ten years, once edited on a
 * PC.
 */
class RealSiteTest {
  @TempDir Path folder;

  private static Path fixtures() {
    try {
      return Path.of(RealSiteTest.class.getResource("old-site").toURI()).getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path site(String name) {
    return fixtures().resolve("old-site").resolve(name);
  }

  @Test
  void everyFileComesBackByteForByte() throws IOException {
    int files = 0;
    try (Stream<Path> all = Files.walk(fixtures())) {
      for (Path file :
          all.filter(f -> f.toString().endsWith(".conf")).filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        boolean plugStack = file.toString().contains("plugstack");
        byte[] back =
            plugStack ? PlugStackFile.parse(file, bytes).bytes() : ConfFile.read(file).bytes();
        assertArrayEquals(bytes, back, file.toString());
        files++;
      }
    }
    assertEquals(24, files);
  }

  @Test
  void siteMeansWhatItsPeopleMeant() {
    SlurmConfig config = SlurmConfig.read(site("slurm.conf"));
    assertEquals(List.of(), config.warnings());
    assertEquals(198 + 5 + 10 + 3, config.nodes().size());
    assertEquals("gpu:k80:4", gresOf(config, "gpu04"));
    assertEquals("gpu:k80:3", gresOf(config, "gpu05"));
    assertEquals("gpu:a100:8", gresOf(config, "gpu20-ib1"));
    assertEquals("10.3.0.10", config.node("gpu20-ib1").orElseThrow().address());
    assertEquals("", gresOf(config, "fat1"));
    assertEquals("gpu:t4:2,nic:2", gresOf(config, "viz1"));
    assertEquals("", config.node("c01-01").orElseThrow().gres().map(Setting::value).orElse(""));
    assertEquals(15, config.partition("gpu").orElseThrow().nodes().size());
    assertEquals(config.nodes().size(), config.partition("all").orElseThrow().nodes().size());
    assertEquals(
        "bf_window=14400,bf_resolution=600,bf_max_job_user=40,bf_continue,defer,"
            + "max_rpc_cnt=150",
        config.setting("SchedulerParameters").orElseThrow().value());
  }

  private static String gresOf(SlurmConfig config, String node) {
    return config.node(node).orElseThrow().gres().orElseThrow().value();
  }

  @Test
  void gresConfOfTheSite() {
    GresConfig config = GresConfig.read(site("gres.conf"));
    assertEquals(List.of(), config.warnings());
    assertEquals(2, config.linesFor("gpu03").size());
    assertEquals("off", config.autoDetect("gpu01").orElseThrow().value());
    assertEquals("nvml", config.autoDetect("gpu20-ib0").orElseThrow().value());
    assertEquals(2, config.linesFor("viz1").size());
    assertEquals(List.of(), config.linesFor("c01-01"));
  }

  @Test
  void gresConfInAllItsForms() {
    GresConfig config = GresConfig.read(fixtures().resolve("forms/gres.conf"));
    assertEquals(List.of(), config.warnings());
    assertEquals(11, config.lines().size());
    assertEquals(7 + 1, config.linesFor("tux3").size());
    assertEquals(7 + 2, config.linesFor("tux17").size());
    assertEquals(7 + 1, config.linesFor("lx2-4").size());
  }

  @Test
  void pluginsOfTheSite() {
    assertEquals(
        List.of(
            "private-tmpdir.so", "/usr/local/lib/slurm/spank_pyxis.so", "/usr/lib64/slurm/x11.so"),
        PlugStack.read(site("plugstack.conf")).plugins().stream()
            .map(line -> line.plugin().orElseThrow())
            .toList());
  }

  @Test
  void newCountChangesThatValueAlone() throws IOException {
    SlurmConfig config = SlurmConfig.read(site("slurm.conf"));
    SlurmNode node = config.node("gpu05").orElseThrow();
    ConfFile file = config.tree().file(node.line().place().file()).orElseThrow();
    ConfFile changed =
        file.edit().set(node.gres().orElseThrow().line(), "Gres", "gpu:k80:36").result();
    List<String> before = lines(file);
    List<String> after = lines(changed);
    List<Integer> different = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      if (!before.get(i).equals(after.get(i))) {
        different.add(i);
      }
    }
    assertEquals(1, different.size());
    assertEquals(
        "NodeName=gpu05 NodeAddr=10.2.0.5 GRES=gpu:k80:36 # one board is out, RMA 4711\n",
        after.get(different.get(0)));
    assertEquals(before.size(), after.size());
  }

  private static List<String> lines(ConfFile file) {
    return file.lines().stream().map(ConfLine::raw).toList();
  }

  @Test
  void installedSlurmTakesTheSite() throws IOException {
    InstalledSlurm slurm = new InstalledSlurm(folder);
    slurm.assume2205();
    InstalledSlurm.Answer answer = slurm.readsFile(site("slurm.conf"));
    assertTrue(answer.status() == 0, answer.output());
  }
}
