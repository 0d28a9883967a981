package org.schedgpu.agent.metrics;

import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.server.SocketServer;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.agent.task.PeriodicTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves metrics at the configured address. It reads no data; a scrape does that. If it cannot
 * listen, it logs that once, and the agent goes on without metrics.
 */
public final class MetricsTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsTask.class);

  /** A change of the configuration wakes it. */
  private static final long REST_NS = TimeUnit.HOURS.toNanos(1);

  private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(10);

  private final RegionAccess access;
  private final Supplier<Optional<ListenAddress>> wanted;
  private final AgentCounts counts;
  private final String version;
  private final Supplier<NvmlSource> nvml;
  private final LogOnce problem = new LogOnce(LOG);
  private Optional<ListenAddress> served = Optional.empty();
  private PrometheusRegistry registry;
  private NodeCollector collector;
  private SocketServer server;

  /**
   * @param access its own, with a time-out that a scrape allows
   * @param wanted the current MetricsListen
   * @param version of the agent
   */
  public MetricsTask(
      RegionAccess access,
      Supplier<Optional<ListenAddress>> wanted,
      AgentCounts counts,
      String version) {
    this(access, wanted, counts, version, NvmlReader::new);
  }

  /** With a source other than NVML. */
  MetricsTask(
      RegionAccess access,
      Supplier<Optional<ListenAddress>> wanted,
      AgentCounts counts,
      String version,
      Supplier<NvmlSource> nvml) {
    this.nvml = nvml;
    this.access = access;
    this.wanted = wanted;
    this.counts = counts;
    this.version = version;
  }

  @Override
  public String name() {
    return "metrics";
  }

  @Override
  public long run(long nowNs) {
    Optional<ListenAddress> now = wanted.get();
    if (!now.equals(served)) {
      stop();
      now.ifPresent(this::start);
    }
    if (now.isEmpty()) {
      problem.over();
    }
    return now.equals(served) ? REST_NS : RETRY_NS;
  }

  private void start(ListenAddress address) {
    try {
      server = Scrapes.serve(address, registry());
      served = Optional.of(address);
      problem.over();
      LOG.info("metrics at {}", url(address));
    } catch (IOException | RuntimeException failed) {
      problem.tell(
          "MetricsListen=%s: cannot listen there (%s): choose another address, or end the program that listens there: ss -lptx"
              .formatted(address.text(), failed.getMessage()),
          new AgentException(""));
    }
  }

  private static String url(ListenAddress address) {
    return address.socketFile().isPresent()
        ? address.text()
        : "http://" + address.text() + "/metrics";
  }

  /** Created when first needed: without metrics it costs nothing. */
  private PrometheusRegistry registry() {
    if (registry == null) {
      registry = new PrometheusRegistry();
      collector = new NodeCollector(access, nvml.get(), counts, version);
      registry.register(collector);
      ProcessMetrics.builder().register(registry);
    }
    return registry;
  }

  private void stop() {
    served = Optional.empty();
    if (server != null) {
      server.close();
      server = null;
    }
  }

  @Override
  public void close() {
    stop();
    if (collector != null) {
      collector.close();
    }
  }
}
