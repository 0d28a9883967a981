package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;

/** docs/how-to/metrics.md lists the metrics of a scrape, and its commands and files work. */
class MetricsPageTest {
  private static final Path ROOT =
      Path.of(System.getProperty("schedgpu.root")).toAbsolutePath().normalize();
  private static final Path PAGE = ROOT.resolve("docs/how-to/metrics.md");
  private static final String BEGIN =
      "<!-- metrics: MetricsPageTest compares this table with a scrape -->\n";
  private static final String END = "<!-- end of metrics -->\n";
  private static final long PATIENCE_NS = 1_000_000_000L;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private MetricsTask task;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    node.makeRegion();
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (task != null) {
      task.close();
    }
    if (node != null) {
      node.close();
    }
  }

  /** A node on which every optional part exists. */
  private Scrape scrape() throws IOException {
    AgentCounts counts = new AgentCounts();
    counts.brokerConnections(OptionalLong.of(0));
    counts.use(new AgentCounts.UsageOwner("alice", "physics"), new AgentCounts.Usage(2, 1, 3));
    ListenAddress address = ListenAddress.of(folder.resolve("m.sock").toString()).orElseThrow();
    task =
        new MetricsTask(
            new RegionAccess(node.runDir(), PATIENCE_NS),
            () -> Optional.of(address),
            counts,
            "0.1.0",
            () ->
                new NodeCollectorTest.FakeNvml(
                    Map.of("GPU-0", new NvmlSource.Seen(0, OptionalInt.of(0)))));
    task.run(0);
    return Scrape.at(address.address());
  }

  private static String table(String scrape) {
    Map<String, String> helps = new LinkedHashMap<>();
    Map<String, String> types = new LinkedHashMap<>();
    Map<String, Set<String>> labels = new LinkedHashMap<>();
    for (String line : scrape.lines().toList()) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        helps.put(words[2], words[3]);
      } else if (line.startsWith("# TYPE ")) {
        types.put(words[2], words[3]);
      } else {
        String name = words[0].split("\\{", 2)[0];
        String family = helps.containsKey(name) ? name : name.replaceAll("_[a-z]+$", "");
        Pattern.compile("[{,]([a-z_]+)=")
            .matcher(line)
            .results()
            .map(found -> found.group(1))
            .filter(label -> !label.equals("le"))
            .forEach(label -> labels.computeIfAbsent(family, n -> new TreeSet<>()).add(label));
      }
    }
    StringBuilder table =
        new StringBuilder("| Metric | Kind | Labels | What |\n|---|---|---|---|\n");
    helps.forEach(
        (name, help) ->
            table.append(
                "| `%s` | %s | %s | %s |\n"
                    .formatted(
                        name,
                        types.get(name),
                        String.join(", ", labels.getOrDefault(name, Set.of())),
                        help)));
    return table.toString();
  }

  @Test
  void theTableIsWhatAScrapeGives() throws IOException {
    String page = Files.readString(PAGE);
    String shown = page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END));
    String given = table(scrape().text());
    Files.writeString(Path.of("target", "metrics-table.md"), given);
    assertEquals(given, shown, "put target/metrics-table.md into " + PAGE);
  }

  @Test
  void everyAlertHasARow() throws IOException {
    Set<String> rows = new TreeSet<>();
    Pattern.compile("^\\| `(Schedgpu\\w+)` \\|", Pattern.MULTILINE)
        .matcher(Files.readString(PAGE))
        .results()
        .forEach(found -> rows.add(found.group(1)));
    assertEquals(RulesTest.alerts(ROOT.resolve("etc/prometheus/schedgpu.rules.yml")), rows);
  }

  /** The block of prometheus.yml is checked by the commands that the page shows below it. */
  @Test
  void theFilesOfPrometheusAreRight() throws Exception {
    PrometheusServer.require("promtool");
    String page = Files.readString(PAGE);
    String rules = "/usr/local/share/schedgpu/prometheus/";
    String own = ROOT.resolve("etc/prometheus") + "/";
    String yaml = between(page, "```yaml\n", "```");
    Files.writeString(folder.resolve("prometheus.yml"), yaml.replace(rules, own));
    List<String> commands =
        between(page, "```console\n", "```")
            .lines()
            .map(line -> line.substring("$ ".length()).replace(rules, own))
            .toList();
    assertEquals(2, commands.size());
    for (String command : commands) {
      Process process =
          new ProcessBuilder("sh", "-c", command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), said);
    }
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin) + begin.length();
    return text.substring(from, text.indexOf(end, from));
  }
}
