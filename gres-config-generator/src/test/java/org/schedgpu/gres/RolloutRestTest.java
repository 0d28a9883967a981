package org.schedgpu.gres;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.rollout.RecordStore;
import org.schedgpu.gres.rollout.RolloutRecord;

/**
 * A process of {@code rollout --rest} with a fake slurmrestd of v0.0.40 (shapes from its
 * documentation), a fake scontrol for the start times, and a fake slurmd for {@code -G}.
 */
class RolloutRestTest {
  private static final String NODE = "/slurm/v0.0.40/node/n1";
  private static final String SCENARIO = "n1";
  private static final int LIMIT_SECONDS = 60;
  private static final String JOB =
      "{\"job_id\":7,\"user_name\":\"alice\",\"nodes\":\"n1\",\"job_state\":[\"RUNNING\"],"
          + "\"tres_per_node\":\"gres/gpu:1\"}";

  @TempDir Path base;
  private final WireMockServer server =
      new WireMockServer(WireMockConfiguration.options().dynamicPort().bindAddress("127.0.0.1"));
  private final List<Process> runs = new ArrayList<>();
  private Path etc;
  private Path bin;
  private Path plan;
  private Path output;

  @BeforeEach
  void start() throws IOException {
    server.start();
    etc = Files.createDirectory(base.resolve("etc")).toRealPath();
    bin = Files.createDirectory(base.resolve("bin"));
    output = base.resolve("output");
    Files.writeString(etc.resolve("slurm.conf"), "NodeName=n1 Gres=gpu:x:2\n");
    plan =
        Files.writeString(
            base.resolve("plan.json"),
            "{\"files\": {\"slurm.conf\": \"NodeName=n1 Gres=gpu:x:4\\n\"}, \"nodes\":"
                + " [{\"nodeName\": \"n1\", \"gresAfter\": \"gpu:x:4\"}]}");
    Files.writeString(base.resolve("ctld"), "t1");
    Files.writeString(base.resolve("slurmd"), "t1");
    program("slurmd", "echo 'slurmd: Gres Name=gpu Type=x Count=4 Index=0'");
    program(
        "scontrol",
        "case \"$*\" in",
        "*'show config') echo \"BOOT_TIME = $(cat " + base + "/ctld)\" ;;",
        "*'show nodes') echo \"NodeName=n1 A=1 SlurmdStartTime=$(cat " + base + "/slurmd)\" ;;",
        "*) exit 9 ;;",
        "esac");
    program(
        "restart-slurmctld",
        "echo t2 > " + base + "/ctld",
        "exec 3<>/dev/tcp/127.0.0.1/" + server.port(),
        "printf 'POST /restarted HTTP/1.0\\r\\nContent-Length: 0\\r\\n\\r\\n' >&3",
        "cat <&3");
    answerAsSlurmrestd();
    jobs("");
  }

  @AfterEach
  void stop() {
    runs.forEach(Process::destroyForcibly);
    server.stop();
  }

  private void program(String name, String... lines) throws IOException {
    Path file = Files.writeString(bin.resolve(name), "#!/bin/bash\n" + String.join("\n", lines));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void answerAsSlurmrestd() {
    server.stubFor(
        any(urlPathEqualTo("/openapi/v3"))
            .willReturn(aResponse().withBody("{\"paths\":{\"/slurm/v0.0.40/nodes\":{}}}")));
    node(Scenario.STARTED, "IDLE", 2);
    node("drained", "IDLE\",\"DRAIN", 2);
    node("restarted", "IDLE\",\"DRAIN", 4);
    node("resumed", "IDLE", 4);
    change(NODE, "DRAIN", Scenario.STARTED, "drained");
    change(NODE, "RESUME", "restarted", "resumed");
    server.stubFor(
        any(urlPathEqualTo("/restarted"))
            .inScenario(SCENARIO)
            .whenScenarioStateIs("drained")
            .willSetStateTo("restarted")
            .willReturn(aResponse()));
  }

  private void node(String state, String states, int count) {
    String reason = states.contains("DRAIN") ? "REASON" : "";
    server.stubFor(
        get(urlPathEqualTo("/slurm/v0.0.40/nodes/"))
            .inScenario(SCENARIO)
            .whenScenarioStateIs(state)
            .willReturn(
                aResponse()
                    .withTransformers("response-template")
                    .withBody(
                        "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"%s\"],\"gres\":\"gpu:x:%d\","
                                .formatted(states, count)
                            + "\"gres_used\":\"gpu:x:0(IDX:N/A)\",\"cpus\":8,\"reason\":\""
                            + reason
                            + "\"}],\"errors\":[]}")));
  }

  private void change(String path, String word, String from, String to) {
    server.stubFor(
        post(urlPathEqualTo(path))
            .withRequestBody(matchingJsonPath("$.state[0]", com.github.tomakehurst.wiremock.client.WireMock.equalTo(word)))
            .inScenario(SCENARIO)
            .whenScenarioStateIs(from)
            .willSetStateTo(to)
            .willReturn(aResponse().withBody("{\"errors\":[]}")));
  }

  private void jobs(String job) {
    server.stubFor(
        get(urlPathEqualTo("/slurm/v0.0.40/jobs/"))
            .willReturn(aResponse().withBody("{\"jobs\":[" + job + "]}")));
  }
}
