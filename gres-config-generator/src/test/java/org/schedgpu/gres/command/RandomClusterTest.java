package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.gres.conf.GresLine;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.conf.SlurmPartition;
import org.schedgpu.gres.facts.NodeFacts;

/**
 * A random cluster, planned and applied by the commands, then read again: planned nodes are as the
 * plan says, everything else is unchanged, and the same plan again changes nothing.
 */
class RandomClusterTest {
  private static final List<String> SPACES = List.of(" ", "  ", "\t", " \\\n  ");

  private final Set<String> lacking = new TreeSet<>();
  private Path folder;
  private Random random;
  private boolean listed;
  private String type;

  @BeforeTry
  void makeFolder() throws IOException {
    folder = Files.createTempDirectory("random-cluster").toRealPath();
    lacking.clear();
  }

  @AfterTry
  void removeFolder() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Property(tries = 20)
  void plannedAppliedAndReadAgain(@ForAll long seed) throws IOException {
    random = new Random(seed);
    type = any("t", "");
    int nodes = 1 + random.nextInt(8);
    Files.writeString(conf("slurm.conf"), perhapsOpen(slurmConf(nodes)));
    Files.writeString(conf("gres.conf"), perhapsOpen(gresConf(nodes)));
    Map<String, Integer> shares = new TreeMap<>();
    writeFacts(nodes, shares);
    Map<String, String> before = meaning(shares);
    assertMissingAreRefused(shares);
    String first = plan(shares);
    Files.writeString(conf("plan.json"), first);
    run("gres", "apply", "--plan", conf("plan.json").toString());
    assertEquals(before, meaning(shares));
    assertPlanned(shares);
    Map<Path, String> files = files();
    Files.writeString(conf("plan.json"), plan(shares));
    String again = run("gres", "apply", "--plan", conf("plan.json").toString());
    assertTrue(again.startsWith("nothing to do"), again);
    assertEquals(files, files());
  }

  private Path conf(String name) {
    return folder.resolve(name);
  }

  private String any(String... words) {
    return words[random.nextInt(words.length)];
  }

  private String space() {
    return SPACES.get(random.nextInt(SPACES.size()));
  }

  private String end() {
    return any("\n", " # x\n", "\r\n", "\n\n# a comment\n");
  }

  /** Without its last line end. */
  private String perhapsOpen(String text) {
    return random.nextBoolean() ? text.stripTrailing() : text;
  }

  private String slurmConf(int nodes) {
    StringBuilder text = new StringBuilder("# seeded\n");
    text.append(any("GresTypes=gpu", "grestypes = nic,gpu", "GresTypes=nic", "")).append(end());
    if (random.nextBoolean()) {
      text.append("NodeName=DEFAULT").append(space()).append("CPUs=16 Gres=gpu:2").append(end());
    }
    for (int first = 1; first <= nodes; ) {
      int last = Math.min(nodes, first + random.nextInt(4));
      text.append(any("NodeName=", "nodename = ")).append("a[" + first + "-" + last + "]");
      text.append(space()).append("NodeAddr=10.0.0.[" + first + "-" + last + "]");
      text.append(any("", " Port=[" + (7000 + first) + "-" + (7000 + last) + "]"));
      text.append(space()).append("Weight=" + random.nextInt(9));
      text.append(any("", " Gres=gpu:2", " GRES = gpu:old:2", " Gres=nic:1,gpu:2", " Gres=nic:1"));
      text.append(any("", " Feature=\"x,y\"")).append(end());
      first = last + 1;
    }
    text.append("PartitionName=p Nodes=" + any("ALL", "a[1-" + nodes + "]") + end());
    return text.toString();
  }

  private String gresConf(int nodes) {
    StringBuilder text = new StringBuilder();
    text.append(any("", "# all of us\n", "AutoDetect=off\n"));
    listed = random.nextInt(4) > 0; // otherwise each node has its own gres.conf
    text.append(
        !listed
            ? ""
            : any(
                "NodeName=a[1-" + nodes + "] Name=gpu File=/dev/nvidia[0-1]",
                "Name=gpu File=/dev/nvidia0\nName=gpu File=/dev/nvidia1"));
    return text.append(end()).append("Name=nic File=/dev/mlx0").append(end()).toString();
  }

  private void writeFacts(int nodes, Map<String, Integer> shares) throws IOException {
    int perGpu = 2 + random.nextInt(6);
    Files.createDirectory(conf("facts"));
    for (int node = 1; node <= nodes; node++) {
      if (node == 1 || random.nextInt(3) > 0) {
        String name = "a" + node;
        boolean lacks = random.nextInt(6) == 0;
        Files.writeString(
            conf("facts").resolve(name + ".json"),
            new NodeFacts(name, 16, Fixtures.devices(lacks ? 1 : 2)).toJson());
        if (lacks) {
          lacking.add(name);
        }
        shares.put(name, perGpu);
      }
    }
  }

  /** A device that gres.conf has and the facts lack is reported when it is removed. */
  private void assertMissingAreRefused(Map<String, Integer> shares) {
    CommandMain.Result result = CommandMain.run(planned(shares, "--affinity=links"));
    boolean refused = listed && !lacking.isEmpty();
    assertEquals(refused ? 1 : 0, result.exitCode(), result.err());
    assertEquals(refused, result.err().contains("/dev/nvidia1, which its facts lack"));
  }

  private String plan(Map<String, Integer> shares) {
    return run(planned(shares, "--remove-missing"));
  }

  private String[] planned(Map<String, Integer> shares, String option) {
    String perGpu = Integer.toString(shares.values().iterator().next());
    String conf = conf("slurm.conf").toString();
    String facts = conf("facts").toString();
    return new String[] {
      "gres",
      "plan",
      "--facts",
      facts,
      "--per-gpu",
      perGpu,
      "--type",
      type,
      "--slurm-conf",
      conf,
      "--slurm-version",
      "22.05",
      "--json",
      option
    };
  }

  private static String run(String... words) {
    CommandMain.Result result = CommandMain.run(words);
    assertEquals(0, result.exitCode(), result.err());
    return result.out();
  }

  /** The meaning of the files, without the GPUs of the planned nodes. */
  private Map<String, String> meaning(Map<String, Integer> planned) {
    SlurmConfig slurm = SlurmConfig.read(conf("slurm.conf"));
    GresConfig gres = GresConfig.read(conf("gres.conf"));
    Map<String, String> meaning = new TreeMap<>();
    for (SlurmNode node : slurm.nodes()) {
      boolean isPlanned = planned.containsKey(node.name());
      List<String> words = new ArrayList<>(List.of(node.address(), "" + node.port()));
      for (String key : List.of("CPUs", "Weight", "Feature")) {
        words.add(node.setting(key).map(Setting::value).orElse("-"));
      }
      String value = node.gres().map(Setting::value).orElse("");
      words.add(isPlanned ? othersIn(value) : value);
      gres.linesFor(node.name()).stream()
          .filter(line -> !isPlanned || !line.name().equals("gpu"))
          .sorted(Comparator.comparing(GresLine::name)) // the order matters only within one type
          .forEach(line -> words.add(line.name() + line.type() + line.files() + line.links()));
      meaning.put(node.name(), words.toString());
    }
    for (SlurmPartition partition : slurm.partitions()) {
      meaning.put(
          "partition " + partition.name(),
          new TreeSet<>(partition.nodes().stream().map(SlurmNode::name).toList()).toString());
    }
    return meaning;
  }

  private static String othersIn(String gres) {
    return Stream.of(gres.split(",", -1))
        .filter(part -> !part.startsWith("gpu") && !part.isEmpty())
        .collect(Collectors.joining(","));
  }

  private void assertPlanned(Map<String, Integer> shares) {
    SlurmConfig slurm = SlurmConfig.read(conf("slurm.conf"));
    GresConfig gres = GresConfig.read(conf("gres.conf"));
    assertTrue(slurm.setting("GresTypes").orElseThrow().value().contains("gpu"));
    shares.forEach(
        (node, perGpu) -> {
          String value = slurm.node(node).orElseThrow().gres().orElseThrow().value();
          assertTrue(
              List.of(value.split(",", -1))
                  .contains("gpu:" + (type.isEmpty() ? "" : "t:") + devices(node) * perGpu),
              value);
          List<GresLine> lines =
              gres.linesFor(node).stream().filter(line -> line.name().equals("gpu")).toList();
          assertEquals(devices(node) * perGpu, lines.size(), node);
          for (int i = 0; i < lines.size(); i++) {
            String device = "/dev/nvidia" + i % devices(node);
            assertEquals(List.of(device, "/dev/nvidiactl"), lines.get(i).files(), node);
            assertEquals(type, lines.get(i).type().orElse(""), node);
          }
        });
  }

  private int devices(String node) {
    return lacking.contains(node) ? 1 : 2;
  }

  private Map<Path, String> files() throws IOException {
    Map<Path, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.filter(f -> f.toString().endsWith(".conf")).toList()) {
        files.put(file, Files.readString(file));
      }
    }
    return files;
  }
}
