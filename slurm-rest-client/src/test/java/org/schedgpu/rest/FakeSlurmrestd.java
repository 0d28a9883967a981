package org.schedgpu.rest;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.http.Fault;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

/** A fake slurmrestd: WireMock with recorded answers, for all versions and failures. */
final class FakeSlurmrestd implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);

  final WireMockServer server =
      new WireMockServer(WireMockConfiguration.options().dynamicPort().bindAddress("127.0.0.1"));

  FakeSlurmrestd() {
    server.start();
  }

  @Override
  public void close() {
    server.stop();
  }

  SlurmRestAddress address() {
    return SlurmRestAddress.token(
            URI.create("http://127.0.0.1:" + server.port()), "alice", "a-token")
        .within(TIMEOUT);
  }

  FakeSlurmrestd serving(int... versions) {
    String paths =
        Arrays.stream(versions)
            .mapToObj(v -> "\"/slurm/v0.0." + v + "/nodes\":{}")
            .collect(Collectors.joining(","));
    return answering("/openapi/v3", "{\"paths\":{" + paths + "}}");
  }

  FakeSlurmrestd answering(String path, String body) {
    return answering(path, 200, body);
  }

  FakeSlurmrestd answering(String path, int status, String body) {
    server.stubFor(
        any(urlPathEqualTo(path)).willReturn(aResponse().withStatus(status).withBody(body)));
    return this;
  }

  FakeSlurmrestd failing(String path, Fault fault) {
    server.stubFor(get(urlPathEqualTo(path)).willReturn(aResponse().withFault(fault)));
    return this;
  }

  SlurmRest connect() throws SlurmRestException {
    return SlurmRest.connect(address(), Duration.ofMillis(1));
  }
}
