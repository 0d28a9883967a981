package org.schedgpu.agent.metrics;

import io.prometheus.metrics.exporter.common.PrometheusHttpExchange;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import io.prometheus.metrics.exporter.common.PrometheusHttpResponse;
import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NameValuePair;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestParser;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseWriter;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.apache.hc.core5.http.impl.io.SessionOutputBufferImpl;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request and its answer; the connection ends with it. */
final class ScrapeExchange
    implements PrometheusHttpExchange, PrometheusHttpRequest, PrometheusHttpResponse {
  private static final Logger LOG = LoggerFactory.getLogger(ScrapeExchange.class);
  private static final int BUFFER_BYTES = 8192;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int FAILED = 500;
  private static final String METRICS = "/metrics";
  private static final String PROTOBUF = "protobuf";
  private static final Http1Config LIMITS =
      Http1Config.custom()
          .setBufferSize(BUFFER_BYTES)
          .setMaxLineLength(BUFFER_BYTES)
          .setMaxHeaderCount(64)
          .build();

  /** What happens in the exchange. */
  interface Progress {
    /** The request has arrived. May wait for its turn. */
    void asked() throws InterruptedException;

    /** The answer is computed; what follows depends on the client. Called at least once. */
    void answered();
  }

  private final Progress progress;
  private final InputStream in;
  private final OutputStream out;
  private final ClassicHttpResponse response = new BasicClassicHttpResponse(OK);
  private ClassicHttpRequest request;
  private boolean begun;

  ScrapeExchange(SocketChannel client, Progress progress) {
    this.progress = progress;
    this.in = Channels.newInputStream(client);
    this.out = Channels.newOutputStream(client);
  }

  /** Reads the request, and answers it. */
  void answer(PrometheusScrapeHandler handler) throws IOException, InterruptedException {
    try {
      request =
          new DefaultHttpRequestParser(LIMITS)
              .parse(new SessionInputBufferImpl(BUFFER_BYTES, BUFFER_BYTES), in);
    } catch (HttpException notUnderstood) {
      text(BAD_REQUEST, "this is no request of HTTP/1.1");
      return;
    }
    if (request == null) {
      return;
    }
    if (!Set.of("GET", "HEAD").contains(getMethod())) {
      text(NOT_ALLOWED, getMethod() + ": only GET is answered");
    } else if (!getRequestPath().equals(METRICS)) {
      text(getRequestPath().equals("/") ? OK : NOT_FOUND, "metrics of schedGPU: GET " + METRICS);
    } else {
      progress.asked();
      try {
        handler.handleRequest(this);
      } finally {
        progress.answered();
      }
    }
  }

  private void text(int status, String text) throws IOException {
    byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
    setHeader("Content-Type", "text/plain; charset=utf-8");
    try (OutputStream body = sendHeadersAndGetBody(status, bytes.length)) {
      body.write(bytes);
    }
  }

  @Override
  public PrometheusHttpRequest getRequest() {
    return this;
  }

  @Override
  public PrometheusHttpResponse getResponse() {
    return this;
  }

  @Override
  public String getMethod() {
    return request.getMethod();
  }

  @Override
  public String getRequestPath() {
    return request.getPath().split("\\?", 2)[0];
  }

  @Override
  public String getQueryString() {
    String[] parts = request.getPath().split("\\?", 2);
    return Arrays.stream(parts.length == 2 ? parts[1].split("&", -1) : new String[0])
        .filter(parameter -> !parameter.contains(PROTOBUF))
        .collect(Collectors.joining("&"));
  }

  @Override
  public Enumeration<String> getHeaders(String name) {
    return Collections.enumeration(
        Arrays.stream(request.getHeaders(name)).map(ScrapeExchange::withoutProtobuf).toList());
  }

  /**
   * Prometheus asks for protobuf first where it stores native histograms. The agent has only text,
   * and the library would answer nothing at all.
   */
  private static String withoutProtobuf(NameValuePair header) {
    return Arrays.stream(header.getValue().split(",", -1))
        .filter(type -> !type.contains(PROTOBUF))
        .collect(Collectors.joining(","));
  }

  @Override
  public void setHeader(String name, String value) {
    response.setHeader(name, value);
  }

  /** Without a length the body continues until the connection ends. */
  @Override
  public OutputStream sendHeadersAndGetBody(int status, int length) throws IOException {
    begun = true;
    progress.answered();
    response.setCode(status);
    response.setHeader("Connection", "close");
    if (length > 0) {
      response.setHeader("Content-Length", Integer.toString(length));
    }
    SessionOutputBufferImpl buffer = new SessionOutputBufferImpl(BUFFER_BYTES);
    try {
      new DefaultHttpResponseWriter().write(response, buffer, out);
    } catch (HttpException impossible) {
      throw new IOException(impossible);
    }
    buffer.flush(out);
    return out;
  }

  @Override
  public void handleException(IOException gone) throws IOException {
    throw gone;
  }

  @Override
  public void handleException(RuntimeException problem) {
    LOG.error("metrics: this is a defect, please report it", problem);
    if (!begun) {
      try {
        text(FAILED, "the agent's log says what is wrong");
      } catch (IOException gone) {
        LOG.debug("metrics: {}", gone.getMessage());
      }
    }
  }

  @Override
  public void close() {} // the caller closes the connection
}
