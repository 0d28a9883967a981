package org.schedgpu.agent.metrics;

import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.jna.LocalListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers scrapes on a port or a UNIX socket, one in each connection. A thread waits in accept(2),
 * so that it costs nothing between scrapes (the server of the JDK wakes up every second). Slow
 * clients are disconnected, immediately if others wait; few are served at the same time.
 */
final class ScrapeServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ScrapeServer.class);
  static final int MAX_CONNECTIONS = 32;
  private static final int ANSWERS_AT_ONCE = 4;
  private static final int BACKLOG = 64;
  private static final long PATIENCE_S = 10;
  private static final long REST_MS = 100;

  private final ListenAddress address;
  private final ServerSocketChannel channel;
  private final PrometheusScrapeHandler handler;
  private final ScrapeConnections connections =
      new ScrapeConnections(MAX_CONNECTIONS, ANSWERS_AT_ONCE, PATIENCE_S);

  private ScrapeServer(
      ListenAddress address, ServerSocketChannel channel, PrometheusRegistry registry) {
    this.address = address;
    this.channel = channel;
    this.handler = new PrometheusScrapeHandler(registry);
  }

  /** Listens, and answers until {@link #close}. */
  static ScrapeServer start(ListenAddress address, PrometheusRegistry registry) throws IOException {
    ServerSocketChannel channel = listen(address);
    ScrapeServer server = new ScrapeServer(address, channel, registry);
    daemon(server::accept, "metrics").start();
    return server;
  }

  private static ServerSocketChannel listen(ListenAddress address) throws IOException {
    if (address.socketFile().isPresent()) {
      return listenAt(address, address.socketFile().get());
    }
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      return channel.bind(address.address(), BACKLOG);
    } catch (IOException problem) {
      channel.close();
      throw problem;
    }
  }

  /** Every user who may enter the folder may read, as with a port of this host. */
  private static ServerSocketChannel listenAt(ListenAddress address, Path file) throws IOException {
    removeLeft(address, file);
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(address.address(), BACKLOG);
      LocalListener.openToAll(file);
      return channel;
    } catch (IOException problem) {
      channel.close();
      throw problem;
    }
  }

  /** A socket on which nobody listens remains from a killed agent. Nothing else is removed. */
  private static void removeLeft(ListenAddress address, Path file) throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(address.address());
    } catch (ConnectException refused) {
      if (isSocket(file)) {
        Files.delete(file);
      }
    }
  }

  private static boolean isSocket(Path file) throws IOException {
    int mode = (int) Files.getAttribute(file, "unix:mode");
    return (mode & 0170000) == 0140000; // S_IFMT, S_IFSOCK
  }

  private void accept() {
    while (channel.isOpen()) {
      try {
        ScrapeConnections.Connection client = connections.add(channel.accept());
        daemon(() -> serve(client), "metrics-scrape").start();
      } catch (IOException problem) {
        rest();
      } catch (InterruptedException stop) {
        return;
      }
    }
  }

  private void serve(ScrapeConnections.Connection client) {
    try (client) {
      new ScrapeExchange(client.channel(), client).answer(handler);
    } catch (IOException gone) {
      LOG.debug("metrics: {}", gone.getMessage());
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Without descriptors accept fails at once, again and again. */
  private void rest() {
    try {
      if (channel.isOpen()) {
        Thread.sleep(REST_MS);
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    try {
      channel.close();
      connections.close();
      if (address.socketFile().isPresent()) {
        Files.deleteIfExists(address.socketFile().get());
      }
    } catch (IOException problem) {
      LOG.debug("metrics: {}", problem.getMessage());
    }
  }
}
