package org.schedgpu.gres.shape;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.conf.GresConfig;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterBuilder;

/**
 * A shape on this host: its files, combined with those of a throw-away cluster, and the daemons.
 */
final class ShapeCluster implements AutoCloseable {
  /** The shape sets these itself. */
  private static final Set<String> NOT_OURS =
      Set.of("grestypes", "selecttype", "selecttypeparameters", "partitionname");

  private static final Pattern FIRST_KEY =
      Pattern.compile("(?m)^[ \\t]*([A-Za-z]+)[ \\t]*[+*/-]?=");
  private static final Pattern FIELD = Pattern.compile("(?:^|\\s)([A-Za-z]+)=(\\S*)");
  private static final Pattern DEVICE_FILE = Pattern.compile("\"file\" *: *\"([^\"]+)\"");
  private static final Pattern GRES =
      Pattern.compile("Gres Name=(\\S+) (?:Type=(\\S+) )?Count=([0-9]+) .*");

  private final Shape shape;
  private final MiniCluster cluster;
  private final Placement placement;
  private final Path plan;
  private final Map<String, Set<String>> devicesByNode = new HashMap<>();

  private ShapeCluster(Shape shape, MiniCluster cluster, Placement placement) {
    this.shape = shape;
    this.cluster = cluster;
    this.placement = placement;
    plan = cluster.paths().files().resolve("plan.json");
  }

  /** Writes the shape's files; no daemon runs yet. */
  static ShapeCluster place(Shape shape) throws IOException {
    String prefix = MiniCluster.freshNodePrefix();
    List<String> nodes = shape.nodes().stream().map(n -> n.replaceFirst("tux", prefix)).toList();
    MiniClusterBuilder builder = MiniCluster.builder().nodesOfOwnLines(nodes);
    builder.fakeDevices(devices(shape)).keepDirectory(Boolean.getBoolean("schedgpu.test.keep"));
    MiniCluster cluster = builder.build().configure();
    Placement placement =
        new Placement(
            prefix,
            cluster.paths().etc(),
            cluster.paths().devices(),
            number ->
                nodes.contains(prefix + number)
                    ? cluster.nodePort(prefix + number)
                    : 7000 + number);
    ShapeCluster placed = new ShapeCluster(shape, cluster, placement);
    placed.writeFiles();
    nodes.forEach(placed::noteDevices);
    return placed;
  }

  /** The devices of its facts, and those that its gres.conf has at first. */
  private void noteDevices(String node) {
    Set<String> names = new TreeSet<>(Set.of("nvidiactl"));
    try {
      Path gresConf = etc().resolve("gres.conf");
      if (Files.exists(gresConf)) {
        GresConfig.read(gresConf)
            .linesFor(node)
            .forEach(line -> line.files().forEach(f -> names.add(nameOf(f))));
      }
      for (Path file : files(cluster.paths().files())) {
        String facts = Files.readString(file, ISO_8859_1);
        if (facts.contains("\"" + node + "\"")) {
          DEVICE_FILE.matcher(facts).results().forEach(f -> names.add(nameOf(f.group(1))));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    devicesByNode.put(node, names);
  }

  private String nameOf(String file) {
    return devices().relativize(Path.of(file)).toString();
  }

  private static List<String> devices(Shape shape) throws IOException {
    Set<String> names = new HashSet<>(Set.of("nvidiactl"));
    for (Path file : files(shape.folder())) {
      names.addAll(Placement.devicesIn(Files.readString(file, ISO_8859_1)));
    }
    return names.stream().sorted().toList();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.endsWith("shape.txt"))
          .sorted()
          .toList();
    }
  }

  private void writeFiles() throws IOException {
    String ours = Files.readString(cluster.paths().slurmConf());
    for (Path file : files(shape.folder())) {
      String name = shape.folder().relativize(file).toString();
      String text = placement.text(Files.readString(file, ISO_8859_1));
      boolean isFacts = name.endsWith(".json");
      Path target = (isFacts ? cluster.paths().files() : etc()).resolve(placement.node(name));
      Files.createDirectories(target.getParent());
      if (name.equals("slurm.conf")) {
        text = without(ours, text) + text;
      } else if (name.equals("cgroup.conf")) {
        text = Files.readString(target).replace("ConstrainDevices=yes\n", "") + text;
      }
      Files.writeString(target, text, ISO_8859_1);
    }
  }

  /** The lines of this host, without those that the site sets itself. */
  private static String without(String ours, String sites) {
    Set<String> keys = new HashSet<>(NOT_OURS);
    FIRST_KEY
        .matcher(sites)
        .results()
        .forEach(key -> keys.add(key.group(1).toLowerCase(Locale.ROOT)));
    StringBuilder text = new StringBuilder();
    for (String line : ours.lines().toList()) {
      Matcher key = FIRST_KEY.matcher(line);
      if (!key.find() || !keys.contains(key.group(1).toLowerCase(Locale.ROOT))) {
        text.append(line).append('\n');
      }
    }
    return text.toString();
  }

  Path etc() {
    return cluster.paths().etc();
  }

  String node(String name) {
    return placement.node(name);
  }

  /** {@code schedgpu gres plan} and {@code apply}. */
  void planAndApply() throws IOException {
    List<String> words = new ArrayList<>(List.of("gres", "plan"));
    for (String word : shape.plan()) {
      boolean isFile = Files.exists(shape.folder().resolve(word));
      words.add(
          isFile ? cluster.paths().files().resolve(node(word)).toString() : placement.text(word));
    }
    words.addAll(List.of("--slurm-conf", cluster.paths().slurmConf().toString(), "--json"));
    Files.writeString(plan, succeed(words.toArray(String[]::new)));
    succeed("gres", "apply", "--plan", plan.toString(), "--check");
  }

  private static String succeed(String... words) {
    CommandMain.Result result = CommandMain.run(words);
    if (result.exitCode() != 0) {
      throw new AssertionError(String.join(" ", words) + ": " + result.err());
    }
    return result.out();
  }

  /** Starts only slurmctld, to see how it reads the files before the plan. */
  void startController() {
    cluster.startController();
  }

  void start() {
    cluster.start();
  }

  /** All fields of all nodes, including FUTURE ones, according to slurmctld. */
  Map<String, Map<String, String>> nodes() {
    return byName(cluster.scontrol("-a", "--future", "-o", "show", "node").orThrow().stdout());
  }

  /** All fields of all partitions. */
  Map<String, Map<String, String>> partitions() {
    return byName(cluster.scontrol("-a", "-o", "show", "partition").orThrow().stdout());
  }

  /** The settings for the whole cluster, as slurmctld has them. */
  Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    cluster
        .scontrol("show", "config")
        .orThrow()
        .stdout()
        .lines()
        .filter(line -> line.contains("="))
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              settings.put(line.substring(0, equals).strip(), line.substring(equals + 1).strip());
            });
    return settings;
  }

  private static Map<String, Map<String, String>> byName(String lines) {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    for (String line : lines.lines().filter(l -> !l.isBlank()).toList()) {
      Map<String, String> fields = new TreeMap<>();
      FIELD.matcher(line).results().forEach(f -> fields.putIfAbsent(f.group(1), f.group(2)));
      all.put(fields.getOrDefault("NodeName", fields.get("PartitionName")), fields);
    }
    return all;
  }

  /** What {@code slurmd -G} finds for a node: counts by name and type. */
  Map<String, Long> slurmdGres(String node) {
    Map<String, Long> counts = new TreeMap<>();
    String output =
        cluster
            .commands()
            .run("slurmd", "-G", "-N", node, "-f", cluster.paths().slurmConf().toString())
            .stderr();
    for (String line : output.lines().toList()) {
      Matcher gres = GRES.matcher(line.replaceFirst("^(slurmd[^:]*:|\\[[^]]*\\]) ", ""));
      if (gres.matches()) {
        String type =
            gres.group(2) == null || gres.group(2).equals("(null)") ? "" : ":" + gres.group(2);
        counts.merge(gres.group(1) + type, Long.parseLong(gres.group(3)), Long::sum);
      } else if (line.matches(".*(error|fatal).*") && LogComplaints.isOne(line)) {
        throw new AssertionError("slurmd -G: " + output);
      }
    }
    return counts;
  }

  Probe probe() throws IOException {
    return new Probe(cluster.paths(), cluster.commands(), devicesByNode::get);
  }

  Path logs() {
    return cluster.paths().logs();
  }

  Path devices() {
    return cluster.paths().devices();
  }

  String situation() {
    return cluster.logTails();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
