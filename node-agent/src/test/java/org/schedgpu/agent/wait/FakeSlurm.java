package org.schedgpu.agent.wait;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.slurm.SlurmControl;
import org.schedgpu.agent.slurm.SlurmJob;

/** A Slurm that a test changes, and that notes what the agent changes. */
final class FakeSlurm extends SlurmControl {
  final Map<Long, SlurmJob> jobs = new TreeMap<>();
  final List<String> done = new ArrayList<>();
  Runnable onAsked = () -> {};
  String refuses = "";

  /** Of the jobs that are put next. */
  String start = "2026-11-01T10:00:00";

  FakeSlurm() {
    super("no-squeue", "no-scontrol");
  }

  void put(long id, String state, long limit, int nodes, String required) {
    jobs.put(
        id,
        new SlurmJob(
            Long.toString(id),
            state,
            limit < 0 ? OptionalLong.empty() : OptionalLong.of(limit),
            nodes,
            required,
            "",
            start));
  }

  private void change(String what) {
    if (!refuses.isEmpty() && what.startsWith(refuses)) {
      throw new AgentException("scontrol: refused");
    }
    done.add(what);
  }

  private void replace(SlurmJob old, String state, long limit, String excluded) {
    jobs.put(
        Long.parseLong(old.name()),
        new SlurmJob(
            old.name(),
            state,
            OptionalLong.of(limit),
            old.nodes(),
            old.required(),
            excluded,
            old.start()));
  }

  @Override
  public Optional<SlurmJob> job(long id) {
    onAsked.run();
    if (refuses.equals("all")) {
      throw new AgentException("squeue: Unable to contact slurm controller");
    }
    return Optional.ofNullable(jobs.get(id));
  }

  @Override
  public void limit(SlurmJob job, long minutes) {
    change("limit " + job.name() + " " + minutes);
    replace(job, job.state(), minutes, job.excluded());
  }

  @Override
  public void mark(SlurmJob job, String prefix, String text) {
    change("mark " + job.name() + " " + prefix + text);
  }

  @Override
  public void requeue(SlurmJob job) {
    change("requeue " + job.name());
    replace(job, "PENDING", job.limitMinutes().orElse(0), job.excluded());
  }

  @Override
  public void cancel(SlurmJob job) {
    change("cancel " + job.name());
  }

  @Override
  public void exclude(SlurmJob job, String node, boolean excluded) {
    change((excluded ? "exclude " : "admit ") + job.name() + " " + node);
  }

  @Override
  public List<String> hosts(String list) {
    return list.isEmpty() ? List.of() : List.of(list.split(",", -1));
  }
}
