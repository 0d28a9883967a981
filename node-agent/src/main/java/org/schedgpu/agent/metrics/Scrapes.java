package org.schedgpu.agent.metrics;

import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.conf.ListenAddress;
import org.schedgpu.agent.server.AnswerBuffer;
import org.schedgpu.agent.server.Protocol;
import org.schedgpu.agent.server.SocketServer;
import org.schedgpu.jna.SocketListener;

/**
 * Scrapes: requests of HTTP without a body, and their answers. A client has no user here: at a port
 * none is known, and a UNIX socket is for those who may enter its folder.
 */
final class Scrapes implements Protocol {
  static final int MAX_CONNECTIONS = 32;
  private static final int MAX_REQUEST_BYTES = 8192;
  private static final SocketServer.Limits LIMITS =
      new SocketServer.Limits(
          MAX_CONNECTIONS, MAX_CONNECTIONS, TimeUnit.SECONDS.toNanos(10), 32 << 20);

  private final PrometheusScrapeHandler handler;

  private Scrapes(PrometheusRegistry registry) {
    this.handler = new PrometheusScrapeHandler(registry);
  }

  /** Listens, and answers until the server is closed. The name of a UNIX socket is removed then. */
  static SocketServer serve(ListenAddress address, PrometheusRegistry registry) throws IOException {
    return new SocketServer(
        "metrics",
        SocketListener.at(address.address()),
        new Scrapes(registry),
        uid -> SocketServer.STRANGER,
        LIMITS);
  }

  @Override
  public List<String> threads() {
    return List.of("metrics-scrape");
  }

  @Override
  public int maxRequestBytes() {
    return MAX_REQUEST_BYTES;
  }

  /** Up to the empty line that ends the head. */
  @Override
  public int length(byte[] received) {
    boolean begun = false;
    for (int i = 0, line = 0; i < received.length; i++) {
      if (received[i] == '\n') {
        boolean isEmpty = i == line || (i == line + 1 && received[line] == '\r');
        if (isEmpty && begun) {
          return i + 1;
        }
        begun |= !isEmpty;
        line = i + 1;
      }
    }
    return -1;
  }

  @Override
  public AnswerBuffer answer(byte[] request, int uid) {
    return new ScrapeExchange().answer(request, handler);
  }

  @Override
  public AnswerBuffer tooLong() {
    return new ScrapeExchange().notUnderstood();
  }

  @Override
  public AnswerBuffer refusal(String why) {
    return new ScrapeExchange().unavailable(why);
  }
}
