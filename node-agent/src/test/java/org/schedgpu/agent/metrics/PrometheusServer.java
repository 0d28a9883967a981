package org.schedgpu.agent.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.schedgpu.agent.conf.ListenAddress;

/** A real Prometheus, of Debian, on a port and in a folder of its own. */
final class PrometheusServer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int PATIENCE = 15_000;
  private static final long LOOK_MS = 20;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path log;
  private final Process process;
  private final String url;

  private PrometheusServer(Path log, Process process, String url) {
    this.log = log;
    this.process = process;
    this.url = url;
  }

  /** Skips the test if a program of the Debian package is missing. */
  static void require(String... programs) {
    for (String program : programs) {
      Assumptions.assumeTrue(
          Arrays.stream(System.getenv("PATH").split(":", -1))
              .anyMatch(folder -> Files.isExecutable(Path.of(folder, program))),
          () -> program + " is not installed: build-support/install-deps");
    }
  }

  /** Scrapes a target frequently, and evaluates rules at the same pace. */
  static PrometheusServer start(Path folder, ListenAddress target, Path rules) throws Exception {
    Path conf = folder.resolve("prometheus.yml");
    Files.writeString(
        conf,
        """
        global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 1s}
        rule_files: [%s]
        scrape_configs:
          - job_name: schedgpu
            static_configs: [{targets: ["%s"]}]
        """
            .formatted(rules, target.text()));
    String own = ScrapeServerTest.freePort().text();
    Path log = folder.resolve("prometheus.log");
    Process process =
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + conf,
                "--storage.tsdb.path=" + folder.resolve("prometheus"),
                "--web.listen-address=" + own,
                "--log.level=warn")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new PrometheusServer(log, process, "http://" + own);
  }

  /** The "data" of an answer. */
  JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(url + path)).build(),
            HttpResponse.BodyHandlers.ofString());
    JsonNode json = JSON.readTree(answer.body());
    if (!json.path("status").asText().equals("success")) {
      throw new IOException(path + ": " + answer.body());
    }
    return json.path("data");
  }

  /** Series of a query between two times. */
  List<Series> range(String query, double from, double to, double step) throws Exception {
    String path =
        "/api/v1/query_range?query=%s&start=%s&end=%s&step=%s"
            .formatted(URLEncoder.encode(query, StandardCharsets.UTF_8), from, to, step);
    return Series.of(get(path).path("result"));
  }

  /** Waits until a query returns something. */
  void await(String query) throws Exception {
    String path = "/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
    for (int i = 0; i < PATIENCE && process.isAlive(); i++) {
      try {
        if (!get(path).path("result").isEmpty()) {
          return;
        }
      } catch (IOException notYet) {
        if (i == PATIENCE - 1) {
          throw notYet;
        }
      }
      Thread.sleep(LOOK_MS);
    }
    throw new AssertionError("never: " + query + "\n" + Files.readString(log));
  }

  void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
