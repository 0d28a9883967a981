package org.schedgpu.rest;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Flow;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnectionFactory;
import org.apache.hc.core5.http.io.HttpClientConnection;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

/** One request and its answer over a UNIX socket; HttpCore implements HTTP. */
final class HttpExchange {
  /** An answer, read to its end. */
  record Answer(int status, Map<String, List<String>> headers, InputStream body) {}

  private HttpExchange() {}

  static Answer over(Path socket, HttpRequest request) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      try (HttpClientConnection connection =
          DefaultBHttpClientConnectionFactory.builder()
              .build()
              .createConnection(new ChannelSocket(channel))) {
        return exchange(connection, request);
      }
    }
  }

  private static Answer exchange(HttpClientConnection connection, HttpRequest request)
      throws IOException {
    try {
      BasicClassicHttpRequest sent =
          new BasicClassicHttpRequest(request.method(), pathAndQuery(request));
      sent.addHeader("Host", "localhost");
      sent.addHeader("Connection", "close");
      request.headers().map().forEach((name, values) -> values.forEach(v -> add(sent, name, v)));
      byte[] body = bodyOf(request);
      if (body.length > 0) {
        sent.addHeader("Content-Length", body.length);
        sent.setEntity(new ByteArrayEntity(body, ContentType.APPLICATION_JSON));
      }
      connection.sendRequestHeader(sent);
      connection.sendRequestEntity(sent);
      connection.flush();
      ClassicHttpResponse response = connection.receiveResponseHeader();
      connection.receiveResponseEntity(response);
      return answer(response);
    } catch (HttpException e) {
      throw new IOException("no HTTP: " + e.getMessage(), e);
    }
  }

  private static String pathAndQuery(HttpRequest request) {
    String query = request.uri().getRawQuery();
    return request.uri().getRawPath() + (query == null ? "" : "?" + query);
  }

  private static void add(BasicClassicHttpRequest request, String name, String value) {
    request.addHeader(name, value);
  }

  private static Answer answer(ClassicHttpResponse response) throws IOException {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Header header : response.getHeaders()) {
      headers.computeIfAbsent(header.getName(), name -> new ArrayList<>()).add(header.getValue());
    }
    byte[] body =
        response.getEntity() == null ? new byte[0] : EntityUtils.toByteArray(response.getEntity());
    return new Answer(response.getCode(), headers, new ByteArrayInputStream(body));
  }

  /** The bodies of the generated clients are byte arrays, which come at once. */
  private static byte[] bodyOf(HttpRequest request) {
    Collector collector = new Collector();
    request.bodyPublisher().ifPresent(publisher -> publisher.subscribe(collector));
    return collector.bytes.toByteArray();
  }

  private static final class Collector implements Flow.Subscriber<ByteBuffer> {
    private final java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ByteBuffer buffer) {
      byte[] part = new byte[buffer.remaining()];
      buffer.get(part);
      bytes.writeBytes(part);
    }

    @Override
    public void onError(Throwable error) {
      throw new IllegalStateException("a body that cannot be read", error);
    }

    @Override
    public void onComplete() {
      // all bytes are there
    }
  }
}
