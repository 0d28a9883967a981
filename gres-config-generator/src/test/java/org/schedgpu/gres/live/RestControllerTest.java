package org.schedgpu.gres.live;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fake slurmrestd, in both shapes of its API; that of v0.0.40 is from documentation. */
class RestControllerTest {
  private final WireMockServer server =
      new WireMockServer(WireMockConfiguration.options().dynamicPort().bindAddress("127.0.0.1"));
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void start() {
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  private void answer(String path, String body) {
    server.stubFor(any(urlPathEqualTo(path)).willReturn(aResponse().withBody(body)));
  }

  private Controller choose(int version, Map<String, String> environment) {
    answer("/openapi/v3", "{\"paths\":{\"/slurm/v0.0." + version + "/nodes\":{}}}");
    return Controllers.choose(
        Optional.of("http://127.0.0.1:" + server.port()), environment, said::add);
  }

  @Test
  void through38NodesAreReadAndScontrolChangesThem() {
    Controller controller = choose(38, Map.of("PATH", "/nosuch"));
    answer(
        "/slurm/v0.0.38/nodes",
        "{\"nodes\":[{\"name\":\"n1\",\"state\":\"idle\",\"state_flags\":[\"DRAIN\",\"INVALID_REG\"],"
            + "\"reason\":\"x\",\"gres\":\"gpu:2\",\"gres_used\":\"gpu:0\",\"cpus\":16}]}");

    assertEquals(
        List.of(
            new LiveNode("n1", Set.of("IDLE", "DRAIN", "INVALID_REG"), "gpu:2", "gpu:0", "x", 16)),
        controller.nodes());
    assertTrue(controller.canChangeNodes());
    LiveException e = assertThrows(LiveException.class, () -> controller.drain("n1", "why"));
    assertTrue(e.getMessage().contains("scontrol is not in PATH"), e.getMessage());
    assertEquals(1, said.size());
    assertTrue(said.get(0).contains("v0.0.38 cannot change nodes"), said.get(0));
  }

  @Test
  void from40OnNodesAreChangedThroughIt() {
    Controller controller = choose(42, Map.of());
    answer("/slurm/v0.0.42/node/n1", "{\"errors\":[]}");

    controller.drain("n1", "why");
    controller.resume("n1");

    assertEquals(List.of(), said);
    assertTrue(controller.description().startsWith("slurmrestd at http://127.0.0.1:"));
    assertTrue(controller.description().endsWith(" v0.0.42"), controller.description());
    server.verify(2, postRequestedFor(urlPathEqualTo("/slurm/v0.0.42/node/n1")));
  }

  @Test
  void jobsThatAreOverAreLeftOutAndThoseThatComplete() {
    Controller controller = choose(40, Map.of());
    String over = "\"user_name\":\"a\",\"nodes\":\"n[1-2]\",\"job_state\":[\"CANCELLED\"";
    answer(
        "/slurm/v0.0.40/jobs/",
        "{\"jobs\":[{\"job_id\":1,"
            + over
            + "]},{\"job_id\":2,"
            + over
            + ",\"COMPLETING\"]},"
            + "{\"job_id\":3,\"user_name\":\"b\",\"nodes\":\"\",\"job_state\":[\"PENDING\"],"
            + "\"tres_per_job\":\"gres/gpu:2\"}]}");

    List<LiveJob> jobs = controller.jobs();

    assertEquals(
        List.of(
            new LiveJob(2, "a", "COMPLETING", Set.of("n1", "n2"), ""),
            new LiveJob(3, "b", "PENDING", Set.of(), "gres/gpu:2")),
        jobs);
    assertFalse(jobs.get(1).isOnNode());
  }

  @Test
  void theTokensUserIsNamed() {
    String claims =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"exp\":1,\"sun\":\"alice\"}".getBytes(StandardCharsets.UTF_8));

    choose(40, Map.of("SLURM_JWT", "x." + claims + ".y"));

    server.verify(
        getRequestedFor(urlPathEqualTo("/openapi/v3"))
            .withHeader("X-SLURM-USER-NAME", equalTo("alice"))
            .withHeader("X-SLURM-USER-TOKEN", equalTo("x." + claims + ".y")));
  }

  @Test
  void whatIsNoAddressIsRefused() {
    for (String address : List.of("host:80", "unix:relative", "ftp://x", "%")) {
      LiveException e =
          assertThrows(
              LiveException.class,
              () -> Controllers.choose(Optional.of(address), Map.of(), said::add));
      assertTrue(e.getMessage().contains("no address of slurmrestd"), e.getMessage());
    }
  }

  @Test
  void withoutAnAddressItIsScontrol() {
    assertEquals(
        "scontrol", Controllers.choose(Optional.empty(), Map.of(), said::add).description());
  }

  @Test
  void aTokenOfSeveralLinesIsRefusedAndNotShown() {
    LiveException told =
        assertThrows(
            LiveException.class,
            () -> Controllers.address("http://127.0.0.1:1", Map.of("SLURM_JWT", "secret\nsecret")));
    assertEquals(
        "schedgpu gres: SLURM_JWT is no token: it has blanks or several lines: set it to what"
            + " scontrol token prints",
        told.getMessage());
  }
}
