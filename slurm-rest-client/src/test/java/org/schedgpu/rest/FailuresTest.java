package org.schedgpu.rest;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.moreThanOrExactly;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.rest.SlurmRestException.Kind;

/** Failures carry slurmrestd's message, and only harmless calls are repeated. */
class FailuresTest {
  private static final String NODES = "/slurm/v0.0.38/nodes";
  private static final String SUBMIT = "/slurm/v0.0.38/job/submit";
  private static final RestSubmission JOB =
      new RestSubmission(
          "train", "#!/bin/sh\n", "/tmp", Map.of("A", "1"), Map.of(), 0, Optional.empty());

  @TempDir Path folder;

  private final FakeSlurmrestd fake = new FakeSlurmrestd().serving(38);

  @AfterEach
  void stop() {
    fake.close();
  }

  private static SlurmRestException fails(Kind kind, Executable call) {
    SlurmRestException e = assertThrows(SlurmRestException.class, call);
    assertEquals(kind, e.kind(), e.getMessage());
    return e;
  }

  private void says(SlurmRestException e, String... parts) {
    for (String part : List.of(parts)) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  private void asked(int times) {
    fake.server.verify(times, getRequestedFor(urlPathEqualTo(NODES)));
  }

  @Test
  void aRefusedToken() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(NODES, 401, "Authentication failure");

    SlurmRestException e = fails(Kind.UNAUTHORIZED, rest::nodes);

    says(e, "http://127.0.0.1:", ": nodes: ", "Authentication failure", "scontrol token");
    asked(1);
  }

  @Test
  void aTokenThatSlurmctldRefuses() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(
        NODES,
        500,
        "{\"errors\":[{\"error_number\":1007,\"error\":\"Protocol authentication error\"}]}");

    says(fails(Kind.UNAUTHORIZED, rest::nodes), "Protocol authentication error (1007)");
  }

  @Test
  void errorsOfSlurmAreReportedInItsWords() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(
        "/slurm/v0.0.38/job/7",
        500,
        "{\"errors\":[{\"description\":\"Unable to find"
            + " JobId=7\",\"error_number\":2017,\"error\":\"Invalid job id"
            + " specified\",\"source\":\"slurm_load_job\"}],\"jobs\":[]}");

    SlurmRestException e = fails(Kind.REFUSED, () -> rest.job(7));

    says(e, "job 7: status 500: Unable to find JobId=7: Invalid job id specified (2017)");
  }

  @Test
  void nodeErrorsHaveAnotherNameForTheirNumber() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(
        "/slurm/v0.0.38/node/n9",
        500,
        "{\"errors\":[{\"error\":\"Invalid node name specified\",\"errno\":2018}],\"nodes\":[]}");

    says(fails(Kind.REFUSED, () -> rest.node("n9")), "Invalid node name specified (2018)");
  }

  @Test
  void errorsComeWithStatus200Too() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(NODES, "{\"errors\":[{\"error\":\"no\",\"errno\":5}],\"nodes\":[]}");

    says(fails(Kind.REFUSED, rest::nodes), "nodes: Slurm says: no (5)");
    asked(1);
  }

  @Test
  void anEmptyListWhereOneWasAskedFor() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering("/slurm/v0.0.38/node/n9", "{\"nodes\":[]}");

    says(fails(Kind.REFUSED, () -> rest.node("n9")), "Slurm knows no node n9");
  }

  @Test
  void plainTextIsShownAsItIsAndShortened() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(NODES, 500, "it  is\nbroken " + "x".repeat(1000));

    SlurmRestException e = fails(Kind.REFUSED, rest::nodes);

    says(e, "status 500: it is broken xxx", "...");
    assertTrue(e.getMessage().length() < 450, e.getMessage());
  }

  @Test
  void whatIsNotServed() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(NODES, 404, "Unable find requested URL.");

    says(fails(Kind.UNSUPPORTED, rest::nodes), "this slurmrestd does not serve that");
  }

  /** The answer of 24.11.5 and 26.05.5; 22.05 sends the same with status 500. */
  @Test
  void aJobThatSlurmDoesNotKnowIsNoMatterOfWhatIsServed() throws SlurmRestException {
    SlurmRest rest = fake.serving(42).connect();
    fake.answering(
        "/slurm/v0.0.42/job/7",
        404,
        "{\"jobs\":[],\"errors\":[{\"description\":\"Unable to query"
            + " JobId=7\",\"error_number\":2017,\"error\":\"Invalid job id"
            + " specified\",\"source\":\"_handle_job_get\"}]}");

    SlurmRestException e = fails(Kind.REFUSED, () -> rest.job(7));

    says(e, "status 404: Unable to query JobId=7: Invalid job id specified (2017)");
    assertFalse(e.getMessage().contains("does not serve"), e.getMessage());
    assertTrue(e.isJobOver());
  }

  /** The status was 500 before 24.11. */
  @Test
  void statusOfARefusalFrom2411On() throws SlurmRestException {
    SlurmRest rest = fake.serving(42).connect();
    fake.answering(
        "/slurm/v0.0.42/nodes/",
        422,
        "{\"errors\":[{\"error_number\":2010,\"error\":\"Access/permission denied\"}]}");

    says(fails(Kind.REFUSED, rest::nodes), "status 422: Access/permission denied (2010)");
  }

  @Test
  void noJson() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(NODES, "<html>a proxy</html>");

    says(fails(Kind.MALFORMED, rest::nodes), "no JSON as expected");
  }

  @ParameterizedTest
  @CsvSource({"EMPTY_RESPONSE", "CONNECTION_RESET_BY_PEER", "MALFORMED_RESPONSE_CHUNK"})
  void answersThatBreakOff(Fault fault) throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.failing(NODES, fault);

    says(fails(Kind.MALFORMED, rest::nodes), ": nodes: ");
    /* Java's own client may also repeat a request. */
    fake.server.verify(moreThanOrExactly(3), getRequestedFor(urlPathEqualTo(NODES)));
  }

  @Test
  void answersThatAreTooSlow() throws SlurmRestException {
    fake.server.stubFor(
        any(anyUrl()).willReturn(aResponse().withFixedDelay(600_000).withBody("{}")));

    SlurmRestException e =
        fails(
            Kind.TIMED_OUT,
            () -> SlurmRest.connect(fake.address().within(Duration.ofMillis(50)), Duration.ZERO));

    says(e, "no whole answer within 50 ms");
  }

  /**
   * The shortest limit that a busy host still keeps, because the first question must be answered
   * within it.
   */
  private SlurmRest connectWithAShortLimit() throws SlurmRestException {
    for (int seconds = 2; ; seconds *= 10) {
      try {
        return SlurmRest.connect(fake.address().within(Duration.ofSeconds(seconds)), Duration.ZERO);
      } catch (SlurmRestException e) {
        assertTrue(seconds < 200, e.getMessage());
      }
    }
  }

  @Test
  void answersThatNeverEnd() throws SlurmRestException {
    SlurmRest rest = connectWithAShortLimit();
    fake.server.stubFor(
        get(urlPathEqualTo(NODES))
            .willReturn(
                aResponse().withBody("{\"nodes\":[]}").withChunkedDribbleDelay(10, 600_000)));

    fails(Kind.TIMED_OUT, rest::nodes);
  }

  @Test
  void questionsAreAskedAgainWhileTheServerIsBusy() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.server.stubFor(
        get(urlPathEqualTo(NODES))
            .inScenario("busy")
            .whenScenarioStateIs(Scenario.STARTED)
            .willReturn(aResponse().withStatus(503))
            .willSetStateTo("ready"));
    fake.server.stubFor(
        get(urlPathEqualTo(NODES))
            .inScenario("busy")
            .whenScenarioStateIs("ready")
            .willReturn(aResponse().withBody("{\"nodes\":[]}")));

    assertEquals(List.of(), rest.nodes());
    asked(2);
  }

  @ParameterizedTest
  @CsvSource({"503", "500"})
  void jobsAreNeverSubmittedTwice(int status) throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.answering(SUBMIT, status, "busy");

    fails(Kind.REFUSED, () -> rest.submit(JOB));

    fake.server.verify(1, postRequestedFor(urlPathEqualTo(SUBMIT)));
  }

  @Test
  void norAfterAnAnswerThatBrokeOff() throws SlurmRestException {
    SlurmRest rest = fake.connect();
    fake.server.stubFor(
        any(urlPathEqualTo(SUBMIT)).willReturn(aResponse().withFault(Fault.EMPTY_RESPONSE)));

    fails(Kind.MALFORMED, () -> rest.submit(JOB));

    fake.server.verify(1, postRequestedFor(urlPathEqualTo(SUBMIT)));
  }

  @Test
  void nobodyListens() throws IOException {
    try (Socket taken = new Socket()) { // bound here, so that no other process can listen there
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      String url = "http://127.0.0.1:" + taken.getLocalPort();
      SlurmRestAddress nowhere = SlurmRestAddress.token(URI.create(url), "alice", "t");
      says(
          fails(Kind.UNREACHABLE, () -> SlurmRest.connect(nowhere, Duration.ZERO)),
          url,
          "does slurmrestd run");
    }
    SlurmRestAddress noSocket = SlurmRestAddress.socket(folder.resolve("rest.sock"));
    says(
        fails(Kind.UNREACHABLE, () -> SlurmRest.connect(noSocket, Duration.ZERO)),
        "rest.sock",
        "does slurmrestd run");
  }

  @ParameterizedTest
  @CsvSource({"ftp://host", "localhost", "unix:relative", "http:///nohost"})
  void addressesThatAreNone(String address) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> SlurmRestAddress.token(URI.create(address), "alice", "t"));

    assertTrue(e.getMessage().contains(address), e.getMessage());
    assertTrue(e.getMessage().contains("http://HOST:PORT or unix:/PATH"), e.getMessage());
  }

  @Test
  void aTokenIsNeverShown() {
    URI uri = URI.create("http://127.0.0.1:1");
    for (String text : List.of("secret\nsecret", "secret more", "secr\u00e9t", "")) {
      IllegalArgumentException told =
          assertThrows(
              IllegalArgumentException.class, () -> SlurmRestAddress.token(uri, "slurm", text));
      assertEquals("the token is not one word of ASCII characters", told.getMessage());
    }
    assertEquals(
        "http://127.0.0.1:1 as slurm", SlurmRestAddress.token(uri, "slurm", "secret").toString());
  }
}
