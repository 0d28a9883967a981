package org.schedgpu.rest;

import static org.schedgpu.rest.Answers.joined;
import static org.schedgpu.rest.Answers.list;
import static org.schedgpu.rest.Answers.map;
import static org.schedgpu.rest.Answers.number;
import static org.schedgpu.rest.Answers.states;
import static org.schedgpu.rest.Answers.text;

import java.util.List;
import org.schedgpu.rest.generated.v0038.SlurmApi;
import org.schedgpu.rest.generated.v0038.model.Error;
import org.schedgpu.rest.generated.v0038.model.Job;
import org.schedgpu.rest.generated.v0038.model.JobDescription;
import org.schedgpu.rest.generated.v0038.model.JobUpdate;
import org.schedgpu.rest.generated.v0038.model.JobsResponse;
import org.schedgpu.rest.generated.v0038.model.Node;
import org.schedgpu.rest.generated.v0038.model.NodesResponse;
import org.schedgpu.rest.generated.v0038.model.Partition;
import org.schedgpu.rest.generated.v0038.model.PartitionsResponse;
import org.schedgpu.rest.generated.v0038.model.Ping;
import org.schedgpu.rest.generated.v0038.model.PingResponse;
import org.schedgpu.rest.generated.v0038.model.SubmitRequest;
import org.schedgpu.rest.generated.v0038.model.SubmitResponse;

/** v0.0.38, of Slurm 22.05 to 23.11. */
final class Api38 implements ApiVersion {
  private final SlurmApi api;

  Api38(SlurmApi api) {
    this.api = api;
  }

  @Override
  public List<String> controllers() throws Exception {
    PingResponse answer = api.ping();
    check(answer.getErrors());
    return list(answer.getPings()).stream()
        .filter(ping -> "UP".equals(ping.getPing()))
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
    throw new SlurmRestException(
        SlurmRestException.Kind.UNSUPPORTED,
        "v0.0.38 cannot change nodes: use scontrol update NodeName=" + name + " State=" + state);
  }

  @Override
  public List<RestPartition> partitions() throws Exception {
    PartitionsResponse answer = api.getPartitions();
    check(answer.getErrors());
    return map(answer.getPartitions(), Api38::partition);
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
    if (job.node().isPresent()) {
      throw new SlurmRestException(
          SlurmRestException.Kind.UNSUPPORTED,
          "v0.0.38 takes no node to run on: use sbatch --nodelist=" + job.node().get());
    }
    if (!job.spankEnvironment().isEmpty()) {
      throw new SlurmRestException(
          SlurmRestException.Kind.UNSUPPORTED,
          "v0.0.38 takes no spank_environment: use sbatch, or a newer slurmrestd");
    }
    JobDescription description =
        new JobDescription()
            .name(job.name())
            .currentWorkingDirectory(job.workingDirectory())
            .environment(job.environment());
    if (job.gpus() > 0) {
      description.gres("gpu:" + job.gpus());
    }
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
    if (field != JobField.COMMENT) { // its specification has admin_comment, but its parser does not
      throw new SlurmRestException(
          SlurmRestException.Kind.UNSUPPORTED,
          "v0.0.38 cannot write " + field.text() + ": use comment, or a newer slurmrestd");
    }
    check(api.updateJob(Long.toString(id), new JobUpdate().comment(text)).getErrors());
  }

  private static List<RestNode> nodes(NodesResponse answer) throws SlurmRestException {
    check(answer.getErrors());
    return map(answer.getNodes(), Api38::node);
  }

  private static RestNode node(Node node) {
    return new RestNode(
        text(node.getName()),
        states(List.of(text(node.getState())), node.getStateFlags()),
        text(node.getReason()),
        text(node.getGres()),
        text(node.getGresUsed()),
        list(node.getPartitions()),
        node.getCpus() == null ? 0 : node.getCpus());
  }

  private static RestPartition partition(Partition partition) {
    return new RestPartition(
        text(partition.getName()), text(partition.getNodes()), text(partition.getState()));
  }

  private static List<RestJob> jobs(JobsResponse answer) throws SlurmRestException {
    check(answer.getErrors());
    return map(answer.getJobs(), Api38::job);
  }

  private static RestJob job(Job job) {
    return new RestJob(
        number(job.getJobId()),
        text(job.getName()),
        text(job.getUserName()),
        text(job.getPartition()),
        text(job.getJobState()),
        List.of(),
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
        "");
  }

  private static void check(List<Error> errors) throws SlurmRestException {
    Answers.check(
        map(
            errors,
            e ->
                Answers.error(
                    e.getDescription(),
                    e.getError(),
                    number(e.getErrorNumber()) + number(e.getErrno()))));
  }
}
