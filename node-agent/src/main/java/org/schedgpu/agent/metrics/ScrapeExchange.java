package org.schedgpu.agent.metrics;

import io.prometheus.metrics.exporter.common.PrometheusHttpExchange;
import io.prometheus.metrics.exporter.common.PrometheusHttpRequest;
import io.prometheus.metrics.exporter.common.PrometheusHttpResponse;
import io.prometheus.metrics.exporter.common.PrometheusScrapeHandler;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NameValuePair;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.EnglishReasonPhraseCatalog;
import org.apache.hc.core5.http.impl.io.DefaultHttpRequestParser;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.schedgpu.agent.server.AnswerBuffer;
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
  private static final int UNAVAILABLE = 503;
  private static final int MAX_BYTES = 16 << 20;
  private static final String METRICS = "/metrics";
  private static final String PROTOBUF = "protobuf";
  private static final Http1Config LIMITS =
      Http1Config.custom()
          .setBufferSize(BUFFER_BYTES)
          .setMaxLineLength(BUFFER_BYTES)
          .setMaxHeaderCount(64)
          .build();

  private final Map<String, String> headers = new TreeMap<>();
  private ClassicHttpRequest request;
  private AnswerBuffer answer;

  /** The answer to a request that has arrived in full. */
  AnswerBuffer answer(byte[] bytes, PrometheusScrapeHandler handler) {
    try {
      request =
          new DefaultHttpRequestParser(LIMITS)
              .parse(
                  new SessionInputBufferImpl(BUFFER_BYTES, BUFFER_BYTES),
                  new ByteArrayInputStream(bytes));
      if (request == null) {
        return notUnderstood();
      } else if (!Set.of("GET", "HEAD").contains(getMethod())) {
        return text(NOT_ALLOWED, getMethod() + ": only GET is answered");
      } else if (!getRequestPath().equals(METRICS)) {
        return text(
            getRequestPath().equals("/") ? OK : NOT_FOUND, "metrics of schedGPU: GET " + METRICS);
      }
      handler.handleRequest(this);
      return answer;
    } catch (HttpException | IOException notUnderstood) {
      return notUnderstood();
    }
  }

  AnswerBuffer notUnderstood() {
    return text(BAD_REQUEST, "this is no request of HTTP/1.1");
  }

  AnswerBuffer unavailable(String why) {
    return text(UNAVAILABLE, why);
  }

  private AnswerBuffer text(int status, String text) {
    byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
    setHeader("Content-Type", "text/plain; charset=utf-8");
    sendHeadersAndGetBody(status, bytes.length).write(bytes, 0, bytes.length);
    return answer;
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
    headers.put(name, value);
  }

  /** Without a length the body continues until the connection ends. */
  @Override
  public AnswerBuffer sendHeadersAndGetBody(int status, int length) {
    answer = new AnswerBuffer(MAX_BYTES);
    setHeader("Connection", "close");
    if (length > 0) {
      setHeader("Content-Length", Integer.toString(length));
    }
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append(' ');
    head.append(EnglishReasonPhraseCatalog.INSTANCE.getReason(status, null)).append("\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    byte[] bytes = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    answer.write(bytes, 0, bytes.length);
    return answer;
  }

  @Override
  public void handleException(IOException impossible) {
    handleException(new UncheckedIOException(impossible));
  }

  @Override
  public void handleException(RuntimeException problem) {
    LOG.error("metrics: this is a defect, please report it", problem);
    if (answer != null) {
      answer.discard();
    }
    headers.clear();
    text(FAILED, "the agent's log says what is wrong");
  }

  @Override
  public void close() {} // the server closes the connection
}
