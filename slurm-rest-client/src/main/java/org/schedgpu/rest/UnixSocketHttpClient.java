package org.schedgpu.rest;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * The part of Java's HttpClient that the generated clients need, over a UNIX socket. Each request
 * has its own connection, because requests are rare. An interrupt ends a call.
 */
final class UnixSocketHttpClient extends HttpClient {
  private final Path socket;

  UnixSocketHttpClient(Path socket) {
    this.socket = socket;
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException {
    HttpExchange.Answer answer = HttpExchange.over(socket, request);
    HttpHeaders headers = HttpHeaders.of(answer.headers(), (name, value) -> true);
    @SuppressWarnings("unchecked") // the generated clients read only streams
    T body = (T) answer.body();
    return new Response<>(request, answer.status(), headers, body, request.uri());
  }

  private record Response<T>(
      HttpRequest request, int statusCode, HttpHeaders headers, T body, URI uri)
      implements HttpResponse<T> {
    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public Version version() {
      return Version.HTTP_1_1;
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    throw new UnsupportedOperationException("asynchronous calls over a UNIX socket");
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      HttpResponse.PushPromiseHandler<T> push) {
    return sendAsync(request, handler);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return Optional.empty();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return Optional.empty();
  }

  @Override
  public Redirect followRedirects() {
    return Redirect.NEVER;
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return Optional.empty();
  }

  @Override
  public SSLContext sslContext() {
    throw new UnsupportedOperationException("TLS over a UNIX socket");
  }

  @Override
  public SSLParameters sslParameters() {
    return new SSLParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return Optional.empty();
  }

  @Override
  public Version version() {
    return Version.HTTP_1_1;
  }

  @Override
  public Optional<Executor> executor() {
    return Optional.empty();
  }

  /** The builder that the generated clients accept in place of a client. */
  static HttpClient.Builder builder(Path socket) {
    return new SocketBuilder(socket);
  }

  /** Only builds: the generated clients set no other property that matters here. */
  private record SocketBuilder(Path socket) implements HttpClient.Builder {
    @Override
    public HttpClient build() {
      return new UnixSocketHttpClient(socket);
    }

    @Override
    public HttpClient.Builder cookieHandler(CookieHandler cookieHandler) {
      return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration duration) {
      return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext sslContext) {
      return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters sslParameters) {
      return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
      return this;
    }

    @Override
    public HttpClient.Builder followRedirects(Redirect policy) {
      return this;
    }

    @Override
    public HttpClient.Builder version(Version version) {
      return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
      return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector proxySelector) {
      return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
      return this;
    }
  }
}
