package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What gres.conf means for a node. */
class GresConfigTest {
  @TempDir Path folder;

  private GresConfig read(String text) {
    return GresConfig.read(Confs.write(folder, "gres.conf", text));
  }

  private GresLine line(String text) {
    return read(text).lines().get(0);
  }

  private String error(String text) {
    return Confs.error(folder, () -> read(text));
  }

  private List<String> warnings(GresConfig config) {
    return config.warnings().stream().map(w -> w.replace(folder + "/", "")).toList();
  }

  private static String typesOf(GresConfig config, String node) {
    return config.linesFor(node).stream()
        .map(line -> line.type().orElse("-"))
        .collect(Collectors.joining(" "));
  }

  @Test
  void linesForAllNodesComeBeforeThoseThatNameNodes() {
    GresConfig config =
        read(
            """
            NodeName=a[1-2] Name=gpu Type=first File=/dev/nvidia[0-1]
            Name=gpu Type=second File=/dev/nvidia2
            nodename=b name=gpu type=third file=/dev/nvidia0
            """);
    assertEquals("second first", typesOf(config, "a2"));
    assertEquals("second third", typesOf(config, "b"));
    assertEquals("second", typesOf(config, "c"));
    assertEquals(3, config.lines().size());
  }

  @Test
  void oneLineInAllItsParts() {
    GresLine line =
        line(
            "Name=gpu Type=a100 File=/dev/nvidia[0-2] Cores=0-15 Links=-1,4,4"
                + " Flags=nvidia_gpu_env\n");
    assertEquals(List.of("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2"), line.files());
    assertEquals(3, line.count());
    assertEquals(
        "gpu a100 0-15 -1,4,4 nvidia_gpu_env",
        String.join(
            " ",
            line.name(),
            line.type().orElseThrow(),
            line.cores().orElseThrow(),
            line.links().orElseThrow(),
            line.flags().orElseThrow()));
    assertEquals("0-7", line("Name=gpu File=/dev/x CPUs=0-7\n").cores().orElseThrow());
  }

  @Test
  void severalFilesAreOneGresWithMultipleFiles() {
    GresLine line =
        line("Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[21-22]\n");
    assertEquals(1, line.count());
    assertEquals(3, line.files().size());
    assertTrue(line.multipleFiles());
  }

  @Test
  void countsHaveSuffixes() {
    assertEquals(1, line("Name=nic\n").count());
    assertEquals(4L << 30, line("Name=bandwidth Type=lustre Count=4G Flags=CountOnly\n").count());
    assertEquals(4000, line("Name=x Count=4kb\n").count());
    assertEquals(4096, line("Name=x Count=4KiB\n").count());
    assertEquals(24, line("Name=shard Count=24 File=/dev/nvidia[0-1]\n").count());
    assertEquals(100, line("Name=mps Count=100 File=/dev/nvidia0\n").count());
  }

  @Test
  void autoDetectOfANodeGoesBeforeTheOneForAll() {
    GresConfig config = read("AutoDetect=nvml\nNodeName=a AutoDetect=off Name=gpu File=/dev/x\n");
    assertEquals("off", config.autoDetect("a").orElseThrow().value());
    assertEquals("nvml", config.autoDetect("b").orElseThrow().value());
    assertTrue(read("Name=gpu File=/dev/x\n").autoDetect("a").isEmpty());
    assertEquals(List.of(), warnings(config));
  }

  @Test
  void twoAutoDetectsForOneNodeAreRefused() {
    GresConfig config = read("NodeName=a[1-2] AutoDetect=off\nNodeName=a2 AutoDetect=nvml\n");
    assertEquals("off", config.autoDetect("a1").orElseThrow().value());
    assertEquals(
        "gres.conf line 2, AutoDetect=nvml for node a2, but off in gres.conf line 1: say one thing"
            + " for a node; slurmd does not start",
        Confs.error(folder, () -> config.autoDetect("a2")));
  }

  @Test
  void whatSlurmRefusesIsReported() {
    assertEquals(
        "gres.conf line 1, File= and MultipleFiles= are both there: keep one of them",
        error("Name=gpu File=/dev/a MultipleFiles=/dev/a,/dev/b\n"));
    assertEquals(
        "gres.conf line 1, MultipleFiles= names one file, Slurm stops at that: use File= for one",
        error("Name=gpu MultipleFiles=/dev/a\n"));
    assertEquals(
        "gres.conf line 1, Count=3, but the files are 2 of them: leave Count= out, or name as many"
            + " files",
        error("Name=gpu Count=3 File=/dev/a[0-1]\n"));
    assertEquals(
        "gres.conf line 1, Count=4X is no count: use a number with K, M, G, T or P (1024), KB ..."
            + " (1000), or none",
        error("Name=gpu Count=4X\n"));
    assertTrue(error("Name=gpu Count=99999999999P\n").contains("is no count"));
    assertEquals(
        "gres.conf line 1, NodeName= stands behind Name=: begin the line with NodeName=",
        error("Name=gpu NodeName=a\n"));
    assertEquals(
        "gres.conf line 1, Name= follows AutoDetect= on one line: give each a line of its own;"
            + " Slurm takes several only on lines such as NodeName=",
        error("AutoDetect=nvml Name=gpu\n"));
  }

  @Test
  void tenThousandNodesHaveTheirLines() {
    StringBuilder text = new StringBuilder("Name=nic\n");
    for (int i = 0; i < 12; i++) {
      text.append("NodeName=gpu[0-9999] Name=gpu Type=x MultipleFiles=/dev/nvidia0,/dev/ctl\n");
    }
    GresConfig config = read(text.toString());
    for (int i = 0; i < 10_000; i++) {
      assertEquals(13, config.linesFor("gpu" + i).size());
    }
    assertTrue(config.lines().get(1).appliesTo("gpu9999"));
  }

  @Test
  void whatSlurmIgnoresIsWarnedOf() {
    assertEquals(
        List.of("gres.conf line 1, AutoDetect= without NodeName= on its line is ignored by Slurm"),
        warnings(read("Name=gpu AutoDetect=nvml File=/dev/x\n")));
    assertEquals(
        List.of("gres.conf line 1, the line has neither Name= nor AutoDetect=, Slurm ignores it"),
        warnings(read("NodeName=a Count=2\n")));
    GresConfig links = read("Name=gpu File=/dev/x Links=0,1\n");
    assertEquals(
        List.of("gres.conf line 1, Links=0,1 has not one -1 among numbers, Slurm ignores it"),
        warnings(links));
    assertTrue(links.lines().get(0).links().isEmpty());
    assertEquals(
        List.of(
            "gres.conf line 1, AutoDetect=all is nothing that Slurm 22.05 knows",
            "gres.conf line 2, AutoDetect= is in gres.conf line 1 too, Slurm takes the last"),
        warnings(read("AutoDetect=all\nAutoDetect=off\n")));
    assertEquals(
        List.of(
            "gres.conf line 1, Type= is no key that Slurm 22.05 takes in gres.conf: slurmd 22.05"
                + " will not start with this"),
        warnings(read("Type=x\n")));
  }
}
