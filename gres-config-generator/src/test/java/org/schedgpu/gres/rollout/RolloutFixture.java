package org.schedgpu.gres.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.schedgpu.gres.common.Json;

/** A rollout of a fake cluster from 2 GPUs a node to 12, run after run. */
final class RolloutFixture {
  /** The end of the run. An Error, so that no handler of failures takes it for one. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  static final String ID = "20261122T030000Z";
  static final String REASON = "schedgpu rollout " + ID;

  final FakeCluster cluster;
  final StringWriter said = new StringWriter();
  final Map<String, String> fails = new TreeMap<>();
  Commands commands = new Commands("ctld", "slurmd %n", null, null, 60, 60, null);
  Runnable whileWaiting = () -> {};
  boolean restartsLater;
  Supplier<Map<String, String>> inPlace;
  private final int after;
  private String stored;
  private long nowNs;
  private int points;
  private int killAt = Integer.MAX_VALUE;

  RolloutFixture(String... names) {
    this(2, 12, names);
  }

  /** If {@code after} equals {@code before}, indexes get other devices. */
  RolloutFixture(int before, int after, String... names) {
    this.after = after;
    inPlace =
        () -> {
          Map<String, String> gres = new TreeMap<>();
          List.of(names).forEach(name -> gres.put(name, "gpu:k20m:" + after));
          return gres;
        };
    cluster = new FakeCluster(before, names);
    cluster.point = this::point;
    List<NodeRecord> nodes = new ArrayList<>();
    for (String name : names) {
      nodes.add(NodeRecord.of(name, "gpu:k20m:" + before, "gpu:k20m:" + after, true));
    }
    stored = Json.write(begin(commands, nodes));
  }

  private static RolloutRecord begin(Commands commands, List<NodeRecord> nodes) {
    return RolloutRecord.begin(ID, RolloutRecord.Way.APPLY, null, List.of(), commands, nodes);
  }

  private void point() {
    points++;
    if (points >= killAt) {
      throw new Killed();
    }
  }

  int points() {
    return points;
  }

  RolloutRecord record() {
    return Json.read(stored, RolloutRecord.class, "record", "correct it");
  }

  NodeRecord record(String node) {
    return record().nodes().stream().filter(n -> n.name().equals(node)).findFirst().orElseThrow();
  }

  /** As the revert of another rollout. */
  void follow(String other) {
    stored = Json.write(record().following(other));
  }

  /** Only some of the nodes change. */
  void leaveAsItIs(String name) {
    stored =
        Json.write(
            record()
                .mapNodes(
                    node ->
                        node.name().equals(name)
                            ? NodeRecord.of(name, node.after(), node.after(), false)
                            : node));
  }

  /** A run from the present state of the record; it ends itself at its {@code killAt}th point. */
  RolloutResult run(int newKillAt) {
    points = 0;
    killAt = newKillAt;
    try {
      return new Rollout(
              record().with(commands),
              cluster,
              cluster,
              store(),
              files(),
              shell(),
              new Report(new PrintWriter(said), false),
              ticker())
          .run();
    } finally {
      killAt = Integer.MAX_VALUE;
    }
  }

  RolloutResult run() {
    return run(Integer.MAX_VALUE);
  }

  RecordStore store() {
    return new RecordStore(null) {
      @Override
      public Optional<RolloutRecord> read() {
        return Optional.of(record());
      }

      @Override
      public void write(RolloutRecord next) {
        point();
        stored = Json.write(next);
        point();
      }
    };
  }

  ConfigStep files() {
    return new ConfigStep() {
      @Override
      public List<String> make() {
        cluster.changeFiles(after);
        return List.of("replaced: slurm.conf");
      }

      @Override
      public boolean hasBegun() {
        return cluster.log.contains("files");
      }

      @Override
      public Map<String, String> gresInPlace() {
        return inPlace.get();
      }
    };
  }

  private Shell shell() {
    return new Shell() {
      @Override
      Optional<String> run(String command, Duration limit) {
        String why = fails.get(command);
        if (why == null && command.equals("ctld") && !restartsLater) {
          cluster.restartController();
        } else if (why == null && command.startsWith("slurmd ")) {
          cluster.restartSlurmd(command.substring("slurmd ".length()));
        }
        return Optional.ofNullable(why);
      }

      /** One after the other, so that the points of a run are the same each time. */
      @Override
      Map<String, String> runForEach(String command, List<String> nodes, Duration limit) {
        Map<String, String> failed = new TreeMap<>();
        for (String node : nodes) {
          run(forNode(command, node), limit).ifPresent(why -> failed.put(node, why));
        }
        return failed;
      }
    };
  }

  private Ticker ticker() {
    return new Ticker() {
      @Override
      long nowNs() {
        return nowNs;
      }

      @Override
      void pause(long milliseconds) {
        nowNs += Duration.ofMillis(milliseconds).toNanos();
        whileWaiting.run();
      }
    };
  }

  /** The main rule: no GPU job was killed. */
  void assertNoJobWasKilled() {
    cluster.jobs.forEach(
        job -> assertEquals(true, !job.state.equals("KILLED"), () -> said + "" + cluster.log));
  }

  void assertDone(RolloutResult ending) {
    assertEquals(RolloutResult.Kind.DONE, ending.kind(), () -> ending + "\n" + said + cluster.log);
    assertEquals(Phase.DONE, record().phase());
    assertNoJobWasKilled();
  }

  /** In service, with the new count and a restarted slurmd. */
  void assertInService(String name) {
    FakeCluster.Node node = cluster.node(name);
    assertEquals(
        after + " " + after + " false false",
        node.controllerCount + " " + node.slurmdCount + " " + node.drained + " " + node.isInvalid(),
        name);
  }

  void endJobs() {
    cluster.jobs.stream().filter(FakeCluster.Job::isThere).forEach(job -> job.state = "ENDED");
  }
}
