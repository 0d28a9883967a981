package org.schedgpu.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.NodeSpec;
import org.schedgpu.minicluster.Requirements;
import org.schedgpu.minicluster.SlurmRelease;
import org.schedgpu.rest.SlurmRestException.Kind;
import org.schedgpu.rest.generated.v0038.model.Job;
import org.schedgpu.rest.generated.v0038.model.JobsResponse;
import org.schedgpu.rest.generated.v0038.model.Node;
import org.schedgpu.rest.generated.v0038.model.NodesResponse;
import org.schedgpu.rest.generated.v0038.model.Partition;
import org.schedgpu.rest.generated.v0038.model.PartitionsResponse;
import org.schedgpu.rest.generated.v0038.model.Ping;
import org.schedgpu.rest.generated.v0038.model.PingResponse;

/**
 * The client and its specifications against a real slurmrestd of any version. {@code
 * -Dschedgpu.test.record=FOLDER} records its answers for {@link RecordedFieldsTest}.
 */
class RealSlurmrestdTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String PREFIX = MiniCluster.freshNodePrefix();
  private static final String NODE = PREFIX + "1";
  private static final ObjectMapper STRICT =
      JsonMapper.builder().disable(MapperFeature.ALLOW_COERCION_OF_SCALARS).build();

  private static MiniCluster cluster;
  private static SlurmRestAddress address;

  @BeforeAll
  static void start() {
    List<String> missing = Requirements.missingForRestJwt();
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    cluster =
        MiniCluster.builder()
            .nodes(NodeSpec.numbered(PREFIX, 2, 4, 1000, ""))
            .rest()
            .restJwt()
            .start();
    address = SlurmRestAddress.socket(cluster.paths().restSocket()).within(LIMIT);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static SlurmRest connect() throws SlurmRestException {
    return SlurmRest.connect(address);
  }

  private static RestSubmission job(String script) {
    return new RestSubmission(
        "by-rest",
        "#!/bin/sh\n" + script + "\n",
        cluster.paths().jobs().toString(),
        Map.of("PATH", "/usr/bin:/bin"),
        Map.of(),
        0,
        Optional.empty());
  }

  private static boolean isOld(SlurmRest rest) {
    return rest.version().equals("v0.0.38");
  }

  @Test
  void itSpeaksTheNewestAndIsNamed() throws SlurmRestException {
    Map<SlurmRelease, String> known =
        Map.of(
            new SlurmRelease(22, 5), "v0.0.38",
            new SlurmRelease(24, 11), "v0.0.42",
            new SlurmRelease(26, 5), "v0.0.45");
    String version = connect().version();

    assertEquals(known.getOrDefault(SlurmRelease.installed(), version), version);
    assertEquals(1, connect().controllers().size());
  }

  @Test
  void nodesAndPartitions() throws SlurmRestException {
    SlurmRest rest = connect();
    cluster.awaitIdle(NODE);

    assertEquals(2, rest.nodes().size());
    assertTrue(rest.node(NODE).is("IDLE"), () -> cluster.nodeState(NODE));
    cluster.scontrol("update", "NodeName=" + NODE, "State=DRAIN", "Reason=looked at");
    assertTrue(rest.node(NODE).is("DRAIN"), () -> cluster.nodeState(NODE));
    assertEquals("looked at", rest.node(NODE).reason());
    cluster.scontrol("update", "NodeName=" + NODE, "State=RESUME");
    assertEquals(PREFIX + "[1-2]", rest.partitions().get(0).nodes());
  }

  @Test
  void aJobFromItsSubmissionToItsEnd() throws Exception {
    SlurmRest rest = connect();
    Path go = cluster.paths().jobs().resolve("go");

    long id = rest.submit(job("until [ -e " + go + " ]; do sleep 0.1; done"));
    rest.write(id, JobField.COMMENT, "peak 3 GiB"); // refused once the job is over
    Files.createFile(go);

    assertEquals(JobState.COMPLETED, cluster.awaitJobs(List.of(id), LIMIT).get(id));
    RestJob done = rest.job(id);
    assertEquals("COMPLETED", done.state());
    assertTrue(done.nodes().startsWith(PREFIX), done.nodes());
    assertEquals("peak 3 GiB", done.text(JobField.COMMENT));
    SlurmRestException late =
        assertThrows(
            SlurmRestException.class, () -> rest.write(id, JobField.COMMENT, "peak 4 GiB"));
    assertTrue(late.isJobOver(), late.getMessage());
    assertTrue(rest.jobs().stream().anyMatch(other -> other.id() == id));
  }

  @Test
  void cancel() throws SlurmRestException {
    SlurmRest rest = connect();
    long id = rest.submit(job("sleep 1000"));

    rest.cancel(id);

    assertEquals(JobState.CANCELLED, cluster.awaitJobs(List.of(id), LIMIT).get(id));
  }

  @Test
  void errorsInItsOwnWords() throws SlurmRestException {
    SlurmRest rest = connect();

    SlurmRestException job = assertThrows(SlurmRestException.class, () -> rest.job(999999));
    SlurmRestException node = assertThrows(SlurmRestException.class, () -> rest.node("nosuch"));

    assertEquals(Kind.REFUSED, job.kind());
    assertTrue(job.getMessage().contains("Invalid job id specified"), job.getMessage());
    assertEquals(Kind.REFUSED, node.kind());
    assertTrue(
        node.getMessage()
            .contains(isOld(rest) ? "Invalid node name specified" : "query node nosuch"),
        node.getMessage());
    if (isOld(rest)) { // newer releases treat it as done
      SlurmRestException cancel = assertThrows(SlurmRestException.class, () -> rest.cancel(999999));
      assertTrue(cancel.getMessage().contains("Invalid job id specified"), cancel.getMessage());
    }
  }

  @Test
  void withATokenOverTcp() throws SlurmRestException {
    URI uri = URI.create(cluster.restUrl());
    SlurmRest rest =
        SlurmRest.connect(SlurmRestAddress.token(uri, "root", cluster.restToken("root")));

    assertEquals(2, rest.nodes().size());
    SlurmRestException e =
        assertThrows(
            SlurmRestException.class,
            () -> SlurmRest.connect(SlurmRestAddress.token(uri, "root", "no-token")).nodes());
    assertTrue(e.getMessage().startsWith(uri + ": "), e.getMessage());
  }

  /** Each field of the specification is in the real answer, with the specified type. */
  @Test
  void theOldSpecificationIsWhatItServes() throws Exception {
    assumeTrue(isOld(connect()), "newer than v0.0.38");
    long id = connect().submit(job("sleep 1000"));
    try {
      hasAll(get("ping"), "pings", Ping.class, PingResponse.class);
      hasAll(get("nodes"), "nodes", Node.class, NodesResponse.class);
      hasAll(get("node/" + NODE), "nodes", Node.class, NodesResponse.class);
      hasAll(get("partitions"), "partitions", Partition.class, PartitionsResponse.class);
      hasAll(get("jobs"), "jobs", Job.class, JobsResponse.class);
      hasAll(get("job/" + id), "jobs", Job.class, JobsResponse.class);
    } finally {
      connect().cancel(id);
      cluster.awaitJobs(List.of(id), LIMIT);
    }
  }

  private static JsonNode get(String path) throws Exception {
    return STRICT.readTree(text("/slurm/v0.0.38/" + path));
  }

  private static String text(String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address.baseUri() + path)).build();
    HttpResponse<InputStream> answer =
        new Transport(address)
            .client()
            .build()
            .send(request, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = answer.body()) {
      return new String(body.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    }
  }

  private static void hasAll(JsonNode answer, String list, Class<?> item, Class<?> whole)
      throws Exception {
    assertTrue(answer.path(list).size() > 0, answer::toPrettyString);
    assertEquals(Set.of(), missing(answer, whole), whole.getSimpleName());
    assertEquals(Set.of(), missing(answer.path(list).get(0), item), item.getSimpleName());
    STRICT
        .readerFor(item)
        .without(com.fasterxml.jackson.databind.DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .readValue(answer.path(list).get(0));
  }

  private static Set<String> missing(JsonNode real, Class<?> model) {
    Set<String> specified =
        Arrays.stream(model.getMethods())
            .map(method -> method.getAnnotation(JsonProperty.class))
            .filter(property -> property != null)
            .map(JsonProperty::value)
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(specified.size() > 1, model::getName);
    real.fieldNames().forEachRemaining(specified::remove);
    return specified;
  }

  /** And slurmrestd announces each path, with that method. */
  @Test
  void theOldPathsAreServed() throws Exception {
    assumeTrue(isOld(connect()), "newer than v0.0.38");
    JsonNode served = STRICT.readTree(text("/openapi/v3")).path("paths");
    Map<String, List<String>> used =
        Map.of(
            "ping", List.of("get"),
            "nodes", List.of("get"),
            "node/{node_name}", List.of("get"),
            "partitions", List.of("get"),
            "jobs", List.of("get"),
            "job/submit", List.of("post"),
            "job/{job_id}", List.of("get", "post", "delete"));

    used.forEach(
        (path, methods) ->
            methods.forEach(
                method ->
                    assertTrue(
                        served.path("/slurm/v0.0.38/" + path).has(method), path + " " + method)));
  }

  /** The recording of this version equals its answers. */
  @Test
  void theNewFieldsAreServedAsRecorded() throws Exception {
    assumeTrue(!isOld(connect()), "v0.0.38");
    JsonNode specification = STRICT.readTree(text("/openapi/v3"));
    String folder = System.getProperty("schedgpu.test.record");
    for (int version : Versions.versionsIn(specification)) {
      String name = "v0.0." + version;
      List<String> served = ServedFields.served(specification, name);
      if (folder != null) {
        Files.write(Path.of(folder, "served-" + name + ".txt"), served);
      } else if (RecordedFieldsTest.RECORDED.contains(name)) {
        assertEquals(RecordedFieldsTest.recorded(name), served, name);
      }
    }
  }
}
