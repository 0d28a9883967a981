package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.minicluster.Requirements;

/**
 * A real slurmd uses the same lines of gres.conf for its node, in the same order within a type.
 * Another seed: {@code -Dschedgpu.test.seed=NUMBER}.
 */
class SlurmdGresTest {
  private static final int FILES = 12;
  private static final Pattern LINE =
      Pattern.compile("Name=gpu Type=(\\S+) .*File=(\\S+) .*?(?:Links=(\\S+)|\\(null\\))$");

  @TempDir static Path folder;

  @BeforeAll
  static void start() throws Exception {
    List<String> missing = new ArrayList<>(Requirements.missing());
    if (missing.isEmpty()) {
      missing.addAll(Requirements.missingForFakeDevices());
    }
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    new InstalledSlurm(folder).assume2205();
    for (int i = 0; i < FILES; i++) {
      run("mknod", folder.resolve("d" + i).toString(), "c", "241", Integer.toString(i));
    }
  }

  @Test
  void linesOfANodeAreThoseThatSlurmdTakes() throws Exception {
    long seed = Long.getLong("schedgpu.test.seed", System.nanoTime());
    System.out.println("SlurmdGresTest seed " + seed);
    Random random = new Random(seed);
    int compared = 0;
    for (int i = 0; i < 40; i++) {
      String text = gresConf(random);
      GresConfig config = GresConfig.read(Confs.write(folder, "gres.conf", text));
      Confs.write(folder, "slurm.conf", slurmConf(config));
      for (String node : List.of("a1", "a2", "a3")) {
        List<String> ours = ours(config, node);
        if (!ours.isEmpty()) {
          assertEquals(slurmds(node), ours, "node " + node + " of\n" + text);
          compared++;
        }
      }
    }
    System.out.println("SlurmdGresTest: " + compared + " nodes compared");
  }

  private static String gresConf(Random random) {
    StringBuilder text = new StringBuilder("# seeded\nAutoDetect=off\n");
    List<String> beginnings =
        List.of(
            "Name=gpu",
            "NodeName=a1 Name=gpu",
            "nodename=a[1-2] NAME=gpu",
            "NodeName=\"a[2-3],b\" \\\n Name=gpu");
    int free = 0;
    while (free < FILES - 2) {
      text.append(beginnings.get(random.nextInt(beginnings.size())));
      text.append(random.nextBoolean() ? "  Type=x" : "\tType = y");
      if (random.nextBoolean()) {
        int last = free + random.nextInt(2);
        text.append(" File=%s/d[%d-%d]".formatted(folder, free, last));
        free = last;
      } else {
        text.append(" MultipleFiles=%1$s/d%2$d,%1$s/d11".formatted(folder, free));
        text.append(random.nextBoolean() ? " Links=0,-1,2" : "");
      }
      free++;
      text.append(random.nextBoolean() ? " # x\n" : "\r\n");
    }
    return text.toString();
  }

  /** With the counts that the lines add up to, because slurmd would reduce larger ones. */
  private static String slurmConf(GresConfig config) {
    StringBuilder text =
        new StringBuilder("ClusterName=x\nSlurmctldHost=localhost\nGresTypes=gpu\n")
            .append("SlurmdParameters=config_overrides\nSlurmdSpoolDir=" + folder + "/spool\n");
    for (String node : List.of("a1", "a2", "a3")) {
      Map<String, Long> counts = new LinkedHashMap<>();
      config
          .linesFor(node)
          .forEach(line -> counts.merge(line.type().orElseThrow(), line.count(), Long::sum));
      String gres =
          counts.entrySet().stream()
              .map(e -> "gpu:" + e.getKey() + ":" + e.getValue())
              .collect(Collectors.joining(","));
      text.append("NodeName=" + node + " CPUs=4" + (gres.isEmpty() ? "" : " Gres=" + gres) + "\n");
    }
    return text.toString();
  }

  /** By type; Slurm orders the types as in slurm.conf. */
  private static List<String> ours(GresConfig config, String node) {
    return config.linesFor(node).stream()
        .flatMap(
            line ->
                line.files().stream()
                    .map(f -> "%s %s %s".formatted(line.type().get(), f, line.links().orElse("-"))))
        .sorted((one, other) -> Character.compare(one.charAt(0), other.charAt(0)))
        .toList();
  }

  private static List<String> slurmds(String node) throws Exception {
    String output = run("slurmd", "-G", "-N", node, "-f", folder.resolve("slurm.conf").toString());
    List<String> lines = new ArrayList<>();
    for (String line : output.lines().toList()) {
      Matcher matcher = LINE.matcher(line.strip());
      if (matcher.find()) {
        String links = matcher.group(3) == null ? "-" : matcher.group(3);
        Hostlist.expand(matcher.group(2))
            .forEach(file -> lines.add("%s %s %s".formatted(matcher.group(1), file, links)));
      }
    }
    lines.sort((one, other) -> Character.compare(one.charAt(0), other.charAt(0)));
    return lines;
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
