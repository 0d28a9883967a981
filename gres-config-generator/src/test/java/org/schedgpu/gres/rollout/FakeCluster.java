package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveException;
import org.schedgpu.gres.live.LiveJob;
import org.schedgpu.gres.live.LiveNode;
import org.schedgpu.gres.live.StartTimes;

/**
 * A fake Slurm in memory, which behaves as the real one does when counts change. Every change is a
 * point at which a test may end the run.
 */
final class FakeCluster implements Controller, StartTimes.Source {
  /** A node, its slurmd, and what slurmctld has of it. */
  static final class Node {
    final String name;
    int controllerCount;
    int slurmdCount;
    int slurmdStart = 1;
    boolean registered = true;
    boolean drained;
    boolean down;
    boolean stubborn;
    boolean quiet;
    boolean stepsFail;
    int restored;
    String reason = "";
    Runnable news = () -> {};
    int newsInLooks;

    Node(String name, int count) {
      this.name = name;
      controllerCount = count;
      slurmdCount = count;
    }

    boolean isInvalid() {
      return registered && slurmdCount < controllerCount;
    }

    boolean isOpen() {
      return !drained && !down && registered && !isInvalid();
    }
  }

  /** A job on one node. */
  static final class Job {
    final long id;
    final String node;
    final String asks;
    String state = "RUNNING";

    Job(long id, String node, String asks) {
      this.id = id;
      this.node = node;
      this.asks = asks;
    }

    boolean isThere() {
      return !state.equals("KILLED") && !state.equals("ENDED");
    }
  }

  final Map<String, Node> nodes = new LinkedHashMap<>();
  final List<Job> jobs = new ArrayList<>();
  final List<String> log = new ArrayList<>();
  int countInFiles;
  int controllerStart = 1;
  boolean unreachable;

  /** Slurm 24.05 and newer: the old count until a slurmd registers; reasons are overwritten. */
  boolean restoresCounts;

  String version = "22.05.8";

  /** What slurmctld then says of a slurmd with the old count. */
  String lowReason = "gres/gpu count reported lower than configured (2 < 12)";

  Runnable point = () -> {};
  Runnable beforeLastCheck = () -> {};

  FakeCluster(int count, String... names) {
    countInFiles = count;
    for (String name : names) {
      nodes.put(name, new Node(name, count));
    }
  }

  Node node(String name) {
    return nodes.get(name);
  }

  /** A job that holds a GPU, if the node takes one; {@code asks} may be empty for --exclusive. */
  Job start(String node, String asks) {
    if (!nodes.get(node).isOpen()) {
      return null;
    }
    Job job = new Job(jobs.size() + 1, node, asks);
    jobs.add(job);
    return job;
  }

  private void change(String what, Runnable change) {
    point.run();
    log.add(what);
    change.run();
    point.run();
  }

  /** What systemctl restart slurmctld does. */
  void restartController() {
    change(
        "restart slurmctld",
        () -> {
          controllerStart++;
          unreachable = false;
          nodes.values().forEach(this::reread);
        });
  }

  private void reread(Node node) {
    int before = shown(node);
    node.restored = before;
    if (before != countInFiles) {
      endGpuJobs(node);
    }
    node.controllerCount = countInFiles;
    node.registered = false;
    node.stepsFail = false;
  }

  private int shown(Node node) {
    if (restoresCounts && !node.registered) {
      return node.restored;
    }
    return node.isInvalid() ? node.slurmdCount : node.controllerCount;
  }

  /** slurmd ends no job, but the indexes of running jobs may then mean other devices. */
  private void endGpuJobs(Node node) {
    jobs.stream()
        .filter(job -> job.isThere() && job.node.equals(node.name))
        .filter(job -> !job.asks.equals("cpu"))
        .forEach(job -> job.state = "KILLED");
  }

  void restartSlurmd(String name) {
    change(
        "restart slurmd " + name,
        () -> {
          Node node = nodes.get(name);
          endGpuJobs(node);
          node.newsInLooks = 3;
          int count = node.stubborn ? node.slurmdCount : countInFiles;
          node.news =
              () -> {
                node.slurmdStart++;
                node.slurmdCount = count;
              };
        });
  }

  void changeFiles(int count) {
    change("files", () -> countInFiles = count);
  }

  @Override
  public String description() {
    return "a fake";
  }

  @Override
  public StartTimes now() {
    answer();
    Map<String, String> slurmds = new HashMap<>();
    nodes.values().stream()
        .filter(node -> node.registered)
        .forEach(node -> slurmds.put(node.name, "t" + node.slurmdStart));
    return new StartTimes("t" + controllerStart, slurmds);
  }

  @Override
  public List<LiveJob> jobs() {
    answer();
    return jobs.stream()
        .filter(Job::isThere)
        .map(job -> new LiveJob(job.id, "alice", job.state, Set.of(job.node), gres(job)))
        .toList();
  }

  private static String gres(Job job) {
    return job.asks.equals("cpu") ? "" : job.asks;
  }

  /** The test's event happens before the last question, as late as possible. */
  @Override
  public List<LiveNode> nodes() {
    answer();
    beforeLastCheck.run();
    List<LiveNode> live = nodes.values().stream().map(this::live).toList();
    nodes.values().stream().filter(n -> !n.down).forEach(this::register);
    nodes.values().forEach(node -> node.quiet = false);
    return live;
  }

  /** The time directly after a restart of slurmctld or slurmd. */
  private void register(Node node) {
    node.registered = true;
    node.stepsFail |= version.startsWith("23.02") && node.slurmdCount > node.controllerCount;
    // Also reasons of others; afterwards their author is unknown.
    boolean ours = node.reason.startsWith(DrainOwner.REASON);
    if (restoresCounts && node.isInvalid() && node.drained && ours) {
      node.reason = lowReason;
    }
    node.newsInLooks--;
    if (node.newsInLooks == 0) {
      node.news.run();
    }
  }

  private LiveNode live(Node node) {
    Set<String> states = new TreeSet<>();
    states.add(node.down ? "DOWN" : node.registered ? "IDLE" : "UNKNOWN");
    if (node.drained) {
      states.add("DRAIN");
    }
    if (node.isInvalid()) {
      states.add("INVALID_REG");
    }
    if (node.quiet) {
      states.add("NOT_RESPONDING");
    }
    int count = shown(node);
    long used =
        jobs.stream()
            .filter(job -> job.isThere() && job.node.equals(node.name))
            .filter(job -> !job.asks.equals("cpu"))
            .count();
    return new LiveNode(
        node.name, states, "gpu:k20m:" + count, "gpu:k20m:" + used + "(IDX:0)", node.reason, 16);
  }

  private void answer() {
    if (unreachable) {
      throw new LiveException("slurmctld does not answer", "start it");
    }
  }

  @Override
  public Optional<String> slurmVersion() {
    answer();
    return Optional.of(version);
  }

  @Override
  public boolean canChangeNodes() {
    return true;
  }

  @Override
  public void drain(String name, String reason) {
    answer();
    change("drain " + name, () -> hold(name, reason));
  }

  /** As {@code scontrol update state=drain}; also in the name of others. */
  void hold(String name, String reason) {
    nodes.get(name).drained = true;
    nodes.get(name).reason = reason;
  }

  @Override
  public void resume(String name) {
    answer();
    change(
        "resume " + name,
        () -> {
          release(name);
          nodes.get(name).quiet = true;
        });
  }

  void release(String name) {
    nodes.get(name).drained = false;
    nodes.get(name).reason = "";
  }
}
