package org.schedgpu.rest;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;

/** How requests reach slurmrestd, and as which user. */
final class Transport {
  private final SlurmRestAddress address;

  Transport(SlurmRestAddress address) {
    this.address = address;
  }

  /** HTTP/1.1, because slurmrestd supports no other version. */
  HttpClient.Builder client() {
    return address
        .unixSocket()
        .map(UnixSocketHttpClient::builder)
        .orElseGet(
            () ->
                HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(address.timeout()));
  }

  /** Adds user and token. */
  void authenticate(HttpRequest.Builder request) {
    address.user().ifPresent(user -> request.setHeader("X-SLURM-USER-NAME", user));
    address.token().ifPresent(token -> request.setHeader("X-SLURM-USER-TOKEN", token));
  }

  /** The clients are generated for one version; the paths of later versions have another number. */
  void send(HttpRequest.Builder request, int generatedVersion, int version) {
    authenticate(request);
    URI uri = request.copy().build().uri();
    String path =
        uri.toString().replace("/v0.0." + generatedVersion + "/", "/v0.0." + version + "/");
    request.uri(URI.create(path));
  }
}
