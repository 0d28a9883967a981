package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.AgentCounts;

class MetricsTaskTest {
  @TempDir private Path folder;

  private final Logger logger = Logger.getLogger(MetricsTask.class.getName());
  private final List<String> said = new ArrayList<>();
  private final Handler ear =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          said.add(new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };
  private final AgentCounts counts = new AgentCounts();
  private Optional<ListenAddress> wanted = Optional.empty();
  private MetricsTask task;

  @BeforeEach
  void listen() {
    logger.addHandler(ear);
    task =
        new MetricsTask(
            new RegionAccess(folder, 1),
            () -> wanted,
            counts,
            "0.1.0",
            () -> new NodeCollectorTest.FakeNvml(Map.of()));
  }

  @AfterEach
  void close() {
    task.close();
    logger.removeHandler(ear);
  }

  private void configure(ListenAddress address) {
    wanted = Optional.ofNullable(address);
    task.run(0);
  }

  @Test
  void itFollowsTheConfiguration() throws IOException {
    ListenAddress port = ScrapeServerTest.freePort();
    ListenAddress file = ListenAddress.of(folder.resolve("m.sock").toString()).orElseThrow();
    configure(null);
    configure(port);
    assertEquals(0, Scrape.at(port.address()).value("schedgpu_up"), "there is no region");
    configure(file);
    assertThrows(IOException.class, () -> Scrape.at(port.address()));
    assertEquals(0, Scrape.at(file.address()).value("schedgpu_up"));
    task.run(0);
    configure(null);
    assertThrows(IOException.class, () -> Scrape.at(file.address()));
    assertEquals(
        List.of(
            "metrics at http://" + port.text() + "/metrics",
            "metrics at " + folder.resolve("m.sock")),
        said);
  }

  @Test
  void aPortThatIsTakenIsReportedOnceAndTriedAgain() throws IOException {
    ListenAddress port = ScrapeServerTest.freePort();
    try (ServerSocket other = new ServerSocket()) {
      other.bind(port.address());
      configure(port);
      task.run(0);
    }
    task.run(0);
    assertEquals(0, Scrape.at(port.address()).value("schedgpu_up"));
    String problem =
        "MetricsListen=%s: cannot listen there (Address already in use): choose another address, or end the program that listens there: ss -lptx"
            .formatted(port.text());
    assertEquals(
        List.of(problem, "over: " + problem, "metrics at http://" + port.text() + "/metrics"),
        said);
  }
}
