package org.schedgpu.gres.command;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.extension.ResponseTransformerV2;
import com.github.tomakehurst.wiremock.http.Response;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.rollout.RecordStore;
import org.schedgpu.gres.rollout.RolloutRecord;

/**
 * A process of {@code rollout --rest} with a fake slurmrestd of v0.0.40 (shapes from its
 * documentation), a fake scontrol for the start times, and a fake slurmd for {@code -G}.
 */
class RolloutRestTest {
  private static final String NODE = "/slurm/v0.0.40/node/n1";
  private static final String SCENARIO = "n1";
  private static final Pattern REASON = Pattern.compile("\"reason\":\"([^\"]*)\"");
  private static final int LIMIT_SECONDS = 300;
  private static final String JOB =
      "{\"job_id\":7,\"user_name\":\"alice\",\"nodes\":\"n1\",\"job_state\":[\"RUNNING\"],"
          + "\"tres_per_node\":\"gres/gpu:1\"}";

  @TempDir Path base;
  private final WireMockServer server =
      new WireMockServer(
          WireMockConfiguration.options()
              .dynamicPort()
              .bindAddress("127.0.0.1")
              .extensions(new StoredReason()));
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
            Json.write(
                Map.of(
                    "files",
                    Map.of("slurm.conf", "NodeName=n1 Gres=gpu:x:4\n"),
                    "before",
                    Map.of("slurm.conf", RequestedFiles.Seen.at(etc.resolve("slurm.conf")).json()),
                    "nodes",
                    List.of(Map.of("nodeName", "n1", "gresAfter", "gpu:x:4")),
                    "output",
                    etc.toString())));
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
    change("DRAIN", Scenario.STARTED, "drained");
    change("RESUME", "restarted", "resumed");
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
                    .withBody(
                        "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"%s\"],\"gres\":\"gpu:x:%d\","
                                .formatted(states, count)
                            + "\"gres_used\":\"gpu:x:0(IDX:N/A)\",\"cpus\":8,\"reason\":\""
                            + reason
                            + "\"}],\"errors\":[]}")));
  }

  private void change(String word, String from, String to) {
    server.stubFor(
        post(urlPathEqualTo(NODE))
            .withRequestBody(matchingJsonPath("$.state[0]", equalTo(word)))
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

  /** Slurm stores the reason and returns it. */
  private final class StoredReason implements ResponseTransformerV2 {
    @Override
    public Response transform(Response response, ServeEvent event) {
      return Response.Builder.like(response)
          .but()
          .body(response.getBodyAsString().replace("REASON", reason()))
          .build();
    }

    private String reason() {
      String told = "";
      for (LoggedRequest request : server.findAll(postRequestedFor(urlPathEqualTo(NODE)))) {
        Matcher reason = REASON.matcher(request.getBodyAsString());
        told = reason.find() ? reason.group(1) : told;
      }
      return told;
    }

    @Override
    public String getName() {
      return "told-reason";
    }
  }

  private List<String> command(String... arguments) {
    List<String> words = new ArrayList<>(List.of("gres", "rollout"));
    words.addAll(List.of(arguments));
    words.addAll(List.of("--folder", etc.toString()));
    // A build in the background may have inherited that SIGINT is ignored.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(ChildJvm.command(CommandMain.class.getName(), words.toArray(String[]::new)));
    return command;
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("PATH", bin + ":/usr/bin:/bin");
    builder.environment().keySet().removeIf(name -> name.startsWith("SLURM"));
    Process process = builder.start();
    runs.add(process);
    return process;
  }

  private Process begin(String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("--plan", plan.toString()));
    words.addAll(List.of("--rest", "http://127.0.0.1:" + server.port()));
    words.addAll(List.of("--restart-slurmctld", bin + "/restart-slurmctld"));
    words.addAll(List.of("--restart-slurmd", "echo t2 > " + base + "/slurmd #%n"));
    words.addAll(List.of(more));
    return start(command(words.toArray(String[]::new)));
  }

  private String said() {
    try {
      return Files.exists(output) ? Files.readString(output) : "";
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void assertEnds(int exitCode, Process process) throws InterruptedException {
    assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), this::said);
    assertEquals(exitCode, process.exitValue(), this::said);
  }

  private void awaitSaid(String text) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!said().contains(text)) {
      assertTrue(System.nanoTime() < endNs, this::said);
      Thread.sleep(20);
    }
  }

  private RolloutRecord record() {
    return RecordStore.of(etc).read().orElseThrow();
  }

  private void assertReported(String... bodies) {
    List<LoggedRequest> told = server.findAll(postRequestedFor(urlPathEqualTo(NODE)));
    assertEquals(
        List.of(bodies), told.stream().map(LoggedRequest::getBodyAsString).toList(), this::said);
  }

  private String drain() {
    return "{\"state\":[\"DRAIN\"],\"reason\":\"" + record().reason() + "\"}";
  }

  private void assertNothingIsChanged() throws IOException {
    assertReported();
    assertEquals("NodeName=n1 Gres=gpu:x:2\n", Files.readString(etc.resolve("slurm.conf")));
    assertEquals(Optional.empty(), RecordStore.of(etc).read());
  }

  @Test
  void nodesAreDrainedAndResumedThroughSlurmrestd() throws Exception {
    assertEnds(0, begin("--yes"));

    assertReported(drain(), "{\"state\":[\"RESUME\"]}");
    assertEquals("NodeName=n1 Gres=gpu:x:4\n", Files.readString(etc.resolve("slurm.conf")));
    assertFalse(said().contains("scontrol"), said());
  }

  /** Ctrl-C during the wait for jobs. */
  @Test
  void interruptedRolloutSaysThatItIsOpenAndGoesOn() throws Exception {
    jobs(JOB);
    Process first = begin("--yes");
    awaitSaid("waiting for 1 GPU job: 7 alice RUNNING on n1");
    assertEquals(0, new ProcessBuilder("kill", "-INT", "" + first.pid()).start().waitFor());
    assertEnds(130, first);

    String id = record().id();
    awaitSaid(
        "interrupted: rollout "
            + id
            + " is open, nodes stay as they are: go on with schedgpu gres rollout --continue, or"
            + " see --status\n");
    assertEquals("clearing false", record().phase().word() + " " + record().filesChanged());
    assertReported(drain());
    assertEquals("NodeName=n1 Gres=gpu:x:2\n", Files.readString(etc.resolve("slurm.conf")));

    jobs("");
    assertEnds(0, start(command("--continue")));
    assertReported(drain(), "{\"state\":[\"RESUME\"]}");
    assertEquals("done", record().phase().word());
  }

  @Test
  void whatIsLeftOpenIsSaidWhenTheTimeIsUp() throws Exception {
    jobs(JOB);
    assertEnds(4, begin("--yes", "--wait-for-jobs", "1s"));
    String open = "rollout " + record().id() + " is open (clearing), drained by it: n1\n";
    assertTrue(said().endsWith(open), said());
  }

  @Test
  void whereNobodyCanBeAskedItIsRefused() throws Exception {
    assertEnds(1, begin());
    assertTrue(
        said()
            .endsWith(
                "schedgpu gres: cannot ask whether to begin (standard input is not a"
                    + " terminal): repeat with --yes\n"),
        said());
    assertNothingIsChanged();
  }

  @Test
  void theCheckOfSlurmdCanBeLeftOut() throws Exception {
    program("slurmd", "grep -q x:4 $3 && echo 'slurmd: error: of new files'", "true");
    assertEnds(1, begin("--dry-run"));
    assertTrue(said().contains("n1: error: of new files"), said());
    assertEnds(0, begin("--dry-run", "--no-check"));
    assertFalse(said().contains("checked: "), said());
    assertNothingIsChanged();
  }

  /** With a pseudo-terminal of script(1). */
  @Test
  void whoDoesNotAgreeChangesNothing() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) makes the terminal");
    List<String> words =
        command("--plan", plan.toString(), "--rest", "http://127.0.0.1:" + server.port());
    Process process = start(List.of("script", "-qefc", String.join(" ", words), "/dev/null"));
    awaitSaid("Begin? [y/N] ");
    process.getOutputStream().write("n\n".getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    assertEnds(0, process);
    assertNothingIsChanged();
  }
}
