package org.schedgpu.agent.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The content of a scrape, as text and as numbers. */
record Scrape(String text) {
  static Scrape of(MetricSnapshots snapshots) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(out, snapshots);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return new Scrape(out.toString(StandardCharsets.UTF_8));
  }

  /** The whole answer to a request, head and body. */
  static String raw(SocketAddress address, String request) throws IOException {
    try (SocketChannel channel = open(address)) {
      channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static SocketChannel open(SocketAddress address) throws IOException {
    SocketChannel channel =
        address instanceof UnixDomainSocketAddress
            ? SocketChannel.open(StandardProtocolFamily.UNIX)
            : SocketChannel.open();
    channel.connect(address);
    return channel;
  }

  static Scrape at(SocketAddress address) throws IOException {
    String answer = raw(address, "GET /metrics HTTP/1.1\r\nHost: n\r\n\r\n");
    if (!answer.startsWith("HTTP/1.1 200 ")) {
      throw new IOException(answer);
    }
    return new Scrape(answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  /** By name and labels, as they are written; the UUID is left out. */
  Map<String, Double> values() {
    return text.lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceAll(",?uuid=\"[^\"]*\"", ""))
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)),
                (a, b) -> {
                  throw new IllegalStateException("twice");
                },
                TreeMap::new));
  }

  double value(String name) {
    Double value = values().get(name);
    if (value == null) {
      throw new AssertionError("no " + name + " in\n" + text);
    }
    return value;
  }
}
