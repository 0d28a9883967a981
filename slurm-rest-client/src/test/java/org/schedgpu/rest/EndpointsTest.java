package org.schedgpu.rest;

import static com.github.tomakehurst.wiremock.client.WireMock.deleteRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.equalTo;
import static com.github.tomakehurst.wiremock.client.WireMock.equalToJson;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.matchingJsonPath;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every endpoint, in both shapes of the API. */
class EndpointsTest {
  private final FakeSlurmrestd fake = new FakeSlurmrestd();

  @AfterEach
  void stop() {
    fake.close();
  }

  @Test
  void theNewestVersionThatIsSpokenIsTaken() throws SlurmRestException {
    assertEquals("v0.0.43", fake.serving(39, 41, 43, 46).connect().version());
    assertEquals("v0.0.38", fake.serving(37, 38, 39).connect().version());
  }

  @Test
  void whereNoVersionIsSpokenBothSidesAreNamed() {
    SlurmRestException e =
        assertThrows(SlurmRestException.class, () -> fake.serving(36, 39).connect());

    assertEquals(SlurmRestException.Kind.UNSUPPORTED, e.kind());
    assertTrue(e.getMessage().contains("serves v0.0.[36, 39]"), e.getMessage());
    assertTrue(e.getMessage().contains("start slurmrestd with -s"), e.getMessage());
  }

  @Test
  void userAndTokenAreSent() throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();
    fake.answering("/slurm/v0.0.38/nodes", "{\"nodes\":[]}");

    assertEquals(List.of(), rest.nodes());
    for (String path : List.of("/openapi/v3", "/slurm/v0.0.38/nodes")) {
      fake.server.verify(
          getRequestedFor(urlPathEqualTo(path))
              .withHeader("X-SLURM-USER-NAME", equalTo("alice"))
              .withHeader("X-SLURM-USER-TOKEN", equalTo("a-token")));
    }
  }

  @Test
  void nodesOf38() throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();
    String node =
        "{\"errors\":[],\"nodes\":[{\"name\":\"n1\",\"state\":\"idle\",\"state_flags\":[\"DRAIN\"],"
            + "\"reason\":\"tired\",\"gres\":\"gpu:k20:24\",\"gres_used\":\"gpu:k20:2(IDX:0-1)\","
            + "\"partitions\":[\"debug\"],\"cpus\":16,\"owner\":null,\"from_the_future\":{\"x\":1}}]}";
    fake.answering("/slurm/v0.0.38/nodes", node).answering("/slurm/v0.0.38/node/n1", node);

    RestNode expected =
        new RestNode(
            "n1",
            List.of("IDLE", "DRAIN"),
            "tired",
            "gpu:k20:24",
            "gpu:k20:2(IDX:0-1)",
            List.of("debug"),
            16);
    assertEquals(List.of(expected), rest.nodes());
    assertEquals(expected, rest.node("n1"));
    assertTrue(rest.node("n1").is("DRAIN"));
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 41, 45})
  void nodesOfNewerVersions(int version) throws SlurmRestException {
    SlurmRest rest = fake.serving(version).connect();
    String node =
        "{\"nodes\":[{\"name\":\"n1\",\"state\":[\"IDLE\",\"DRAIN\"],\"reason\":\"tired\","
            + "\"cpus\":8,\"gres\":\"gpu:4\",\"gres_used\":\"gpu:0(IDX:N/A)\",\"partitions\":[\"debug\"],"
            + "\"slurmd_start_time\":{\"set\":true,\"infinite\":false,\"number\":7}}],"
            + "\"last_update\":{\"set\":true},\"warnings\":[],\"errors\":[]}";
    fake.answering("/slurm/v0.0." + version + "/nodes/", node)
        .answering("/slurm/v0.0." + version + "/node/n1", node);

    RestNode expected =
        new RestNode(
            "n1",
            List.of("IDLE", "DRAIN"),
            "tired",
            "gpu:4",
            "gpu:0(IDX:N/A)",
            List.of("debug"),
            8);
    assertEquals(List.of(expected), rest.nodes());
    assertEquals(expected, rest.node("n1"));
  }

  @Test
  void nodesAreDrainedAndResumedFrom40On() throws SlurmRestException {
    SlurmRest rest = fake.serving(42).connect();
    fake.answering("/slurm/v0.0.42/node/n1", "{\"errors\":[]}");

    rest.drain("n1", "new shares");
    rest.resume("n1");

    assertTrue(rest.canChangeNodes());
    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.42/node/n1"))
            .withRequestBody(equalToJson("{\"state\":[\"DRAIN\"],\"reason\":\"new shares\"}")));
    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.42/node/n1"))
            .withRequestBody(equalToJson("{\"state\":[\"RESUME\"]}")));
  }

  @Test
  void with38WhatToUseInsteadIsSaid() throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();

    assertFalse(rest.canChangeNodes());
    SlurmRestException e =
        assertThrows(SlurmRestException.class, () -> rest.drain("n1", "new shares"));
    assertEquals(SlurmRestException.Kind.UNSUPPORTED, e.kind());
    assertTrue(e.getMessage().contains("scontrol update NodeName=n1 State=DRAIN"), e.getMessage());
  }

  @Test
  void partitions() throws SlurmRestException {
    fake.answering(
        "/slurm/v0.0.38/partitions",
        "{\"partitions\":[{\"name\":\"debug\",\"nodes\":\"n[1-2]\",\"state\":\"UP\","
            + "\"min nodes per job\":0}]}");
    fake.answering(
        "/slurm/v0.0.41/partitions/",
        "{\"partitions\":[{\"name\":\"debug\",\"nodes\":{\"configured\":\"n[1-2]\",\"total\":2},"
            + "\"partition\":{\"state\":[\"UP\"]}}]}");
    List<RestPartition> expected = List.of(new RestPartition("debug", "n[1-2]", "UP"));

    assertEquals(expected, fake.serving(38).connect().partitions());
    assertEquals(expected, fake.serving(41).connect().partitions());
  }

  @Test
  void controllersThatAnswer() throws SlurmRestException {
    fake.answering(
        "/slurm/v0.0.38/ping",
        "{\"pings\":[{\"hostname\":\"a\",\"ping\":\"UP\"},{\"hostname\":\"b\",\"ping\":\"DOWN\"}]}");
    fake.answering(
        "/slurm/v0.0.40/ping/",
        "{\"pings\":[{\"hostname\":\"a\",\"pinged\":\"UP\"},{\"hostname\":\"b\",\"pinged\":\"DOWN\"}]}");

    assertEquals(List.of("a"), fake.serving(38).connect().controllers());
    assertEquals(List.of("a"), fake.serving(40).connect().controllers());
  }

  /** v0.0.45, of Slurm 26.05, has no "pinged" any more. */
  @Test
  void controllersThatRespond() throws SlurmRestException {
    fake.answering(
        "/slurm/v0.0.45/ping/",
        "{\"pings\":[{\"hostname\":\"a\",\"responding\":true},{\"hostname\":\"b\",\"responding\":false}]}");

    assertEquals(List.of("a"), fake.serving(45).connect().controllers());
  }

  @Test
  void theReleaseIsWhatEveryAnswerSays() throws SlurmRestException {
    fake.answering(
        "/slurm/v0.0.38/ping", "{\"meta\":{\"Slurm\":{\"release\":\"22.05.8\"}},\"pings\":[]}");
    fake.answering(
        "/slurm/v0.0.45/ping", "{\"meta\":{\"slurm\":{\"release\":\"26.05.5\"}},\"pings\":[]}");
    fake.answering("/slurm/v0.0.40/ping", "{\"pings\":[]}");

    assertEquals(Optional.of("22.05.8"), fake.serving(38).connect().slurmRelease());
    assertEquals(Optional.of("26.05.5"), fake.serving(45).connect().slurmRelease());
    assertEquals(Optional.empty(), fake.serving(40).connect().slurmRelease());
  }

  @Test
  void jobs() throws SlurmRestException {
    String fields =
        "\"job_id\":7,\"name\":\"train\",\"user_name\":\"alice\",\"partition\":\"debug\","
            + "\"state_reason\":\"None\",\"nodes\":\"n1\",\"gres_detail\":[\"gpu:2(IDX:0-1)\"],"
            + "\"tres_per_job\":\"gres:gpu:2\",\"tres_per_node\":\"\",\"tres_per_socket\":null,"
            + "\"tres_per_task\":\"gres:gpu:1\",\"tres_req_str\":\"cpu=1\",\"comment\":\"hello\","
            + "\"admin_comment\":\"for us\",\"extra\":null";
    String old = "{\"jobs\":[{" + fields + ",\"job_state\":\"RUNNING\",\"array_task_id\":null}]}";
    String newer = "{\"jobs\":[{" + fields + ",\"job_state\":[\"RUNNING\",\"COMPLETING\"]}]}";
    fake.answering("/slurm/v0.0.38/jobs", old).answering("/slurm/v0.0.38/job/7", old);
    fake.answering("/slurm/v0.0.40/jobs/", newer).answering("/slurm/v0.0.40/job/7", newer);

    for (SlurmRest rest : List.of(fake.serving(38).connect(), fake.serving(40).connect())) {
      RestJob job = rest.job(7);
      assertEquals(List.of(job), rest.jobs());
      assertEquals(7, job.id());
      assertEquals("train", job.name());
      assertEquals("alice", job.user());
      assertEquals("debug", job.partition());
      assertEquals("RUNNING", job.state());
      assertEquals("None", job.stateReason());
      assertEquals("n1", job.nodes());
      assertEquals(List.of("gpu:2(IDX:0-1)"), job.gresDetail());
      assertEquals("cpu=1", job.tresRequested());
      assertEquals("gres:gpu:2,gres:gpu:1", job.gresRequested());
      assertEquals("hello", job.text(JobField.COMMENT));
      assertEquals("for us", job.text(JobField.ADMIN_COMMENT));
      assertEquals("", job.text(JobField.EXTRA));
    }
  }

  private static RestSubmission job(Optional<String> node) {
    return job(Map.of(), node);
  }

  private static RestSubmission job(Map<String, String> spank, Optional<String> node) {
    return new RestSubmission(
        "train", "#!/bin/sh\n", "/home/alice", Map.of("B", "2", "A", "1"), spank, 2, node);
  }

  @Test
  void from40OnHooksHaveAnEnvironmentOfTheirOwn() throws SlurmRestException {
    fake.answering("/slurm/v0.0.42/job/submit", "{\"job_id\":9}");

    fake.serving(42)
        .connect()
        .submit(job(Map.of("SCHEDGPU_MEM", "2G", "SCHEDGPU_MODE", "gate"), Optional.empty()));

    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.42/job/submit"))
            .withRequestBody(
                matchingJsonPath(
                    "$.job.spank_environment",
                    equalToJson("[\"SCHEDGPU_MEM=2G\",\"SCHEDGPU_MODE=gate\"]"))));
  }

  @Test
  void with38HooksHaveNone() throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();
    RestSubmission job = job(Map.of("SCHEDGPU_MEM", "2G"), Optional.empty());

    SlurmRestException e = assertThrows(SlurmRestException.class, () -> rest.submit(job));

    assertEquals(SlurmRestException.Kind.UNSUPPORTED, e.kind());
    assertTrue(e.getMessage().contains("no spank_environment: use sbatch"), e.getMessage());
  }

  @Test
  void with38NoNodeCanBeAskedFor() throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();

    SlurmRestException e =
        assertThrows(SlurmRestException.class, () -> rest.submit(job(Optional.of("n1"))));

    assertEquals(SlurmRestException.Kind.UNSUPPORTED, e.kind());
    assertTrue(e.getMessage().contains("sbatch --nodelist=n1"), e.getMessage());
  }

  @Test
  void submit() throws SlurmRestException {
    fake.answering("/slurm/v0.0.38/job/submit", "{\"job_id\":8}");
    fake.answering("/slurm/v0.0.40/job/submit", "{\"job_id\":9}");

    assertEquals(8, fake.serving(38).connect().submit(job(Optional.empty())));
    assertEquals(9, fake.serving(40).connect().submit(job(Optional.of("n1"))));

    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.38/job/submit"))
            .withRequestBody(
                equalToJson(
                    "{\"script\":\"#!/bin/sh\\n\",\"job\":{\"name\":\"train\","
                        + "\"current_working_directory\":\"/home/alice\","
                        + "\"environment\":{\"A\":\"1\",\"B\":\"2\"},\"gres\":\"gpu:2\"}}")));
    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.40/job/submit"))
            .withRequestBody(
                equalToJson(
                    "{\"script\":\"#!/bin/sh\\n\",\"job\":{\"name\":\"train\","
                        + "\"current_working_directory\":\"/home/alice\","
                        + "\"environment\":[\"A=1\",\"B=2\"],\"tres_per_node\":\"gres/gpu:2\","
                        + "\"required_nodes\":[\"n1\"]}}")));
  }

  @ParameterizedTest
  @ValueSource(ints = {38, 40})
  void cancelAndWriteTheComment(int version) throws SlurmRestException {
    SlurmRest rest = fake.serving(version).connect();
    String path = "/slurm/v0.0." + version + "/job/7";
    fake.answering(path, "{\"errors\":[]}");

    rest.cancel(7);
    rest.write(7, JobField.COMMENT, "peak 3 GiB");

    fake.server.verify(deleteRequestedFor(urlPathEqualTo(path)));
    fake.server.verify(
        postRequestedFor(urlPathEqualTo(path))
            .withRequestBody(equalToJson("{\"comment\":\"peak 3 GiB\"}")));
  }

  @ParameterizedTest
  @EnumSource(JobField.class)
  void from40OnEveryFieldCanBeWritten(JobField field) throws SlurmRestException {
    SlurmRest rest = fake.serving(43).connect();
    fake.answering("/slurm/v0.0.43/job/7", "{\"errors\":[]}");

    rest.write(7, field, "peak 3 GiB");

    fake.server.verify(
        postRequestedFor(urlPathEqualTo("/slurm/v0.0.43/job/7"))
            .withRequestBody(equalToJson("{\"" + field.text() + "\":\"peak 3 GiB\"}")));
  }

  @ParameterizedTest
  @EnumSource(value = JobField.class, names = "COMMENT", mode = EnumSource.Mode.EXCLUDE)
  void with38OnlyTheCommentCanBeWritten(JobField field) throws SlurmRestException {
    SlurmRest rest = fake.serving(38).connect();

    SlurmRestException e =
        assertThrows(SlurmRestException.class, () -> rest.write(7, field, "peak 3 GiB"));

    assertEquals(SlurmRestException.Kind.UNSUPPORTED, e.kind());
    assertTrue(e.getMessage().contains("cannot write " + field.text()), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"2084, true", "2017, true", "2010, false"})
  void aJobThatIsOverIsKnownByTheNumberOfItsError(int number, boolean over)
      throws SlurmRestException {
    SlurmRest rest = fake.serving(40).connect();
    fake.answering(
        "/slurm/v0.0.40/job/7",
        500,
        "{\"errors\":[{\"description\":\"no\",\"error_number\":" + number + "}]}");

    SlurmRestException e =
        assertThrows(SlurmRestException.class, () -> rest.write(7, JobField.COMMENT, "peak"));

    assertEquals(over, e.isJobOver(), e.getMessage());
  }
}
