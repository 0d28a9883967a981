package org.schedgpu.rest;

import static org.schedgpu.rest.Answers.joined;
import static org.schedgpu.rest.Answers.list;
import static org.schedgpu.rest.Answers.map;
import static org.schedgpu.rest.Answers.number;
import static org.schedgpu.rest.Answers.states;
import static org.schedgpu.rest.Answers.text;

import java.util.List;
import java.util.Map;
import org.schedgpu.rest.generated.v0040.SlurmApi;
import org.schedgpu.rest.generated.v0040.model.Error;
import org.schedgpu.rest.generated.v0040.model.Job;
import org.schedgpu.rest.generated.v0040.model.JobDescription;
import org.schedgpu.rest.generated.v0040.model.JobUpdate;
import org.schedgpu.rest.generated.v0040.model.JobsResponse;
import org.schedgpu.rest.generated.v0040.model.Node;
import org.schedgpu.rest.generated.v0040.model.NodeUpdate;
import org.schedgpu.rest.generated.v0040.model.NodesResponse;
import org.schedgpu.rest.generated.v0040.model.Partition;
import org.schedgpu.rest.generated.v0040.model.PartitionNodes;
import org.schedgpu.rest.generated.v0040.model.PartitionState;
import org.schedgpu.rest.generated.v0040.model.PartitionsResponse;
import org.schedgpu.rest.generated.v0040.model.Ping;
import org.schedgpu.rest.generated.v0040.model.PingResponse;
import org.schedgpu.rest.generated.v0040.model.SubmitRequest;
import org.schedgpu.rest.generated.v0040.model.SubmitResponse;

/** v0.0.40, of Slurm 23.11, and later versions, whose answers agree in the fields used here. */
final class Api40 implements ApiVersion {
  private final SlurmApi api;

  Api40(SlurmApi api) {
    this.api = api;
  }

  @Override
  public List<String> controllers() throws Exception {
    PingResponse answer = api.ping();
    check(answer.getErrors());
    return list(answer.getPings()).stream()
        .filter(ping -> "UP".equals(ping.getPinged()) || Boolean.TRUE.equals(ping.getResponding()))
        .map(Ping::getHostname)
        .toList();
  }

  @Override
  public List<RestNode> nodes() throws Exception {
    return nodes(api.getNodes());
  }

  @Override
  public List<RestNode> node(String name) throws Exception {
    return nodes(api.getNode(name));
  }

  @Override
  public void updateNode(String name, String state, String reason) throws Exception {
    NodeUpdate update = new NodeUpdate().state(List.of(state));
    if (!reason.isEmpty()) {
      update.reason(reason);
    }
    check(api.updateNode(name, update).getErrors());
  }

  @Override
  public List<RestPartition> partitions() throws Exception {
    PartitionsResponse answer = api.getPartitions();
    check(answer.getErrors());
    return map(answer.getPartitions(), Api40::partition);
  }

  @Override
  public List<RestJob> jobs() throws Exception {
    return jobs(api.getJobs());
  }

  @Override
  public List<RestJob> job(long id) throws Exception {
    return jobs(api.getJob(Long.toString(id)));
  }

  @Override
  public long submit(RestSubmission job) throws Exception {
    JobDescription description =
        new JobDescription()
            .name(job.name())
            .currentWorkingDirectory(job.workingDirectory())
            .environment(assignments(job.environment()))
            .spankEnvironment(
                job.spankEnvironment().isEmpty() ? null : assignments(job.spankEnvironment()));
    if (job.gpus() > 0) {
      description.tresPerNode("gres/gpu:" + job.gpus());
    }
    job.node().ifPresent(node -> description.requiredNodes(List.of(node)));
    SubmitResponse answer =
        api.submitJob(new SubmitRequest().script(job.script()).job(description));
    check(answer.getErrors());
    return number(answer.getJobId());
  }

  @Override
  public void cancel(long id) throws Exception {
    check(api.cancelJob(Long.toString(id)).getErrors());
  }

  @Override
  public void write(long id, JobField field, String text) throws Exception {
    JobUpdate update =
        switch (field) {
          case COMMENT -> new JobUpdate().comment(text);
          case ADMIN_COMMENT -> new JobUpdate().adminComment(text);
          case EXTRA -> new JobUpdate().extra(text);
        };
    check(api.updateJob(Long.toString(id), update).getErrors());
  }

  private static List<String> assignments(Map<String, String> environment) {
    return environment.entrySet().stream()
        .map(e -> e.getKey() + "=" + e.getValue())
        .sorted()
        .toList();
  }

  private static List<RestNode> nodes(NodesResponse answer) throws SlurmRestException {
    check(answer.getErrors());
    return map(answer.getNodes(), Api40::node);
  }

  private static RestNode node(Node node) {
    return new RestNode(
        text(node.getName()),
        states(node.getState(), List.of()),
        text(node.getReason()),
        text(node.getGres()),
        text(node.getGresUsed()),
        list(node.getPartitions()),
        node.getCpus() == null ? 0 : node.getCpus());
  }

  private static RestPartition partition(Partition partition) {
    PartitionNodes nodes = partition.getNodes();
    PartitionState state = partition.getPartition();
    return new RestPartition(
        text(partition.getName()),
        nodes == null ? "" : text(nodes.getConfigured()),
        state == null ? "" : String.join(",", list(state.getState())));
  }

  private static List<RestJob> jobs(JobsResponse answer) throws SlurmRestException {
    check(answer.getErrors());
    return map(answer.getJobs(), Api40::job);
  }

  private static RestJob job(Job job) {
    List<String> states = list(job.getJobState());
    return new RestJob(
        number(job.getJobId()),
        text(job.getName()),
        text(job.getUserName()),
        text(job.getPartition()),
        states.isEmpty() ? "" : states.get(0),
        states.stream().skip(1).toList(),
        text(job.getStateReason()),
        text(job.getNodes()),
        list(job.getGresDetail()),
        text(job.getTresReqStr()),
        joined(
            job.getTresPerJob(),
            job.getTresPerNode(),
            job.getTresPerSocket(),
            job.getTresPerTask()),
        text(job.getComment()),
        text(job.getAdminComment()),
        text(job.getExtra()));
  }

  private static void check(List<Error> errors) throws SlurmRestException {
    Answers.check(
        map(
            errors,
            e -> Answers.error(e.getDescription(), e.getError(), number(e.getErrorNumber()))));
  }
}
