package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.schedgpu.jna.Policy;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.SlurmRelease;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.job.Job;

/**
 * The same jobs with shards in the simulator and in a real Slurm. What happens in Slurm is told by
 * the simulator's clock: jobs are submitted and ended in its order, each once Slurm has come to
 * rest. Jobs hold their shards and compute nothing.
 */
final class PlacedJobs {
  private static final long GIB = 1L << 30;
  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;
  private static final Pattern STARTED = Pattern.compile("(?:Started|Allocate) JobId=(\\d+) ");

  /** Slurm 22.05 names the device: (IDX:1). Later ones count what is used of each: (0/23,15/23). */
  private static final Pattern PLACE =
      Pattern.compile(" Nodes=(\\S+) CPU_IDs=\\S+ Mem=\\d+ GRES=shard:\\S*\\((\\S+)\\)");

  /** Shards, CPUs, minutes of the limit, seconds of the run. A job is submitted each second. */
  private static final int[][] JOBS = {
    {15, 2, 60, 30}, // on the first device of the first node
    {5, 3, 600, 40}, // beside it, although the second device has no job
    {15, 2, 60, 18}, // on the second device
    {15, 1, 60, 41}, // the first node has too few shards on each device
    {15, 8, 300, 42}, // the first node has too few CPUs
    {4, 4, 60, 43}, // the first node: it has the fewest CPUs of those with room
    {15, 6, 600, 44},
    {15, 6, 600, 45}, // no CPU is left on the third node
    {10, 1, 60, 46}, // waits: it would have the second node in an hour, when four jobs end
    {4, 1, 600, 47}, // would be on the second node then: goes to the first one
    {4, 2, 30, 48}, // is over before: the second node
    {12, 1, 600, 49}, // waits behind the other one
  };

  private final MiniCluster cluster;
  private final List<String> nodes;
  private final List<Job> jobs;
  private final Map<Integer, Long> submitted = new HashMap<>();

  private PlacedJobs(MiniCluster cluster, List<String> nodes, List<Job> jobs) {
    this.cluster = cluster;
    this.nodes = nodes;
    this.jobs = jobs;
  }

  /** The same, submitted in second {@code id + 1}. */
  static Job job(int id, int nodes, int shards, int cpus, int limitMinutes, int runS) {
    return job(id, id + 1, nodes, shards, cpus, limitMinutes, runS);
  }

  /**
   * A job for {@link #requireTheSame}.
   *
   * @param shards of 1 GiB, on each of its nodes
   */
  static Job job(int id, int submitS, int nodes, int shards, int cpus, int limitMinutes, int runS) {
    return new Job(
        id,
        submitS * SECOND,
        0,
        runS * SECOND + SECOND / 2,
        limitMinutes * MINUTE,
        nodes,
        1,
        cpus,
        1,
        List.of(),
        shards * GIB,
        1,
        0);
  }

  /**
   * Requires that all jobs start in the same order in the same places.
   *
   * @param nodes of the cluster, with two devices each
   * @param cpus of a node
   * @param deviceBytes of a device, without what the driver keeps
   */
  static void requireTheSame(
      MiniCluster cluster, List<String> nodes, int cpus, long deviceBytes, long contextBytes)
      throws IOException {
    NodeSpec node = new NodeSpec("", cpus, GIB, "", 2, deviceBytes);
    List<Job> jobs =
        IntStream.range(0, JOBS.length)
            .mapToObj(i -> job(i, 1, JOBS[i][0], JOBS[i][1], JOBS[i][2], JOBS[i][3]))
            .toList();
    Settings settings =
        new Settings(
            nodes.stream().map(name -> node).toList(),
            contextBytes,
            64,
            nodeChoice(),
            false,
            keepsOwnNodes());
    requireTheSame(cluster, nodes, jobs, settings, Scenario.memory(150, GIB, Policy.FIFO));
  }

  /** The rule of the installed Slurm (docs/how-to/simulate.md). */
  static NodeChoice nodeChoice() {
    return SlurmRelease.installed().isAtLeast(26, 5) ? NodeChoice.FIRST : NodeChoice.TIGHTEST;
  }

  /** The same. */
  static boolean keepsOwnNodes() {
    return SlurmRelease.installed().isAtLeast(25, 5);
  }

  /**
   * The same of these jobs, each of which is submitted in a second of its own.
   *
   * @param nodes of the cluster, in the order of the settings
   */
  static void requireTheSame(
      MiniCluster cluster, List<String> nodes, List<Job> jobs, Settings settings, Scenario scenario)
      throws IOException {
    new PlacedJobs(cluster, nodes, jobs).compare(settings, scenario);
  }

  private void compare(Settings settings, Scenario scenario) throws IOException {
    Map<Integer, TreeSet<String>> parts = new LinkedHashMap<>();
    Outcome outcome =
        Simulation.play(
            jobs,
            settings,
            scenario,
            ended -> {},
            (job, node, devices) ->
                parts
                    .computeIfAbsent((int) job.id(), id -> new TreeSet<>())
                    .add(
                        part(
                            nodes.get(node),
                            Integer.toString(Integer.numberOfTrailingZeros(devices)))));
    List<String> simulated = new ArrayList<>();
    parts.forEach((job, places) -> simulated.add(job + " on " + places));
    int logged = startsInLog().size();
    Map<Integer, String> places = replay(outcome);
    assertEquals(Set.copyOf(simulated), Set.copyOf(places.values()));
    Map<Long, Integer> numbers =
        submitted.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));
    List<String> inOrder =
        startsInLog().stream().skip(logged).map(numbers::get).map(places::get).toList();
    simulated.retainAll(inOrder); // Slurm 26.05 does not log what its backfill scheduler starts
    assertEquals(simulated, inOrder);
  }

  private static String part(String node, String device) {
    return node + " device " + device;
  }

  /** Where each job ran. */
  private Map<Integer, String> replay(Outcome outcome) {
    TreeSet<Long> times = new TreeSet<>();
    for (int i = 0; i < jobs.size(); i++) {
      times.add(jobs.get(i).submitNs());
      times.add(outcome.endNs()[i]);
    }
    Map<Integer, String> places = new HashMap<>();
    for (long now : times) {
      for (int i = 0; i < jobs.size(); i++) {
        if (outcome.endNs()[i] == now) {
          end(submitted.get(i));
        }
        if (jobs.get(i).submitNs() == now) {
          submitted.put(i, submit(jobs.get(i)));
        }
      }
      awaitRunning(running(outcome, now));
      running(outcome, now).forEach(i -> places.computeIfAbsent(i, this::place));
    }
    return places;
  }

  private Set<Integer> running(Outcome outcome, long now) {
    return IntStream.range(0, jobs.size())
        .filter(i -> outcome.startNs()[i] <= now && now < outcome.endNs()[i])
        .boxed()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private long submit(Job job) {
    return cluster.sbatch(
        "--nodes=" + job.nodes(),
        "--gres=shard:" + job.deviceBytes() / GIB,
        "--cpus-per-task=" + job.cpus(),
        "--time=" + job.limitNs() / MINUTE,
        "--wrap",
        "exec sleep infinity");
  }

  private void end(long job) {
    cluster.commands().scancel(Long.toString(job));
    cluster.awaitJobs(List.of(job), Eventually.LIMIT);
  }

  /** A job that runs although it should not ends the test at once. */
  private void awaitRunning(Set<Integer> expected) {
    Set<Long> ids = expected.stream().map(submitted::get).collect(Collectors.toSet());
    Eventually.that(
        "running: " + expected,
        () -> {
          Set<Long> found =
              cluster
                  .squeue("-h", "-t", "RUNNING", "-o", "%A")
                  .orThrow()
                  .stdout()
                  .lines()
                  .map(Long::valueOf)
                  .collect(Collectors.toSet());
          assertTrue(ids.containsAll(found), () -> "expected " + expected + "\n" + situation());
          return found.containsAll(ids);
        },
        this::situation);
  }

  private String situation() {
    return submitted + "\n" + cluster.squeue("-o", "%i %T %N %b %C %R").stdout();
  }

  private String place(int job) {
    String shown =
        cluster.scontrol("-d", "-o", "show", "job", "" + submitted.get(job)).orThrow().stdout();
    TreeSet<String> places = new TreeSet<>();
    PLACE
        .matcher(shown)
        .results()
        .forEach(
            place ->
                cluster
                    .scontrol("show", "hostnames", place.group(1))
                    .orThrow()
                    .stdout()
                    .lines()
                    .forEach(node -> places.add(part(node, deviceOf(place.group(2))))));
    assertEquals(jobs.get(job).nodes(), places.size(), shown);
    return job + " on " + places;
  }

  private static String deviceOf(String devices) {
    if (devices.startsWith("IDX:")) {
      return devices.substring("IDX:".length());
    }
    List<String> counts = List.of(devices.split(","));
    return IntStream.range(0, counts.size())
        .filter(i -> !counts.get(i).startsWith("0/"))
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }

  /** The starts so far, in their order. */
  private List<Long> startsInLog() throws IOException {
    Matcher starts =
        STARTED.matcher(Files.readString(cluster.paths().logs().resolve("slurmctld.log")));
    return starts.results().map(start -> Long.valueOf(start.group(1))).toList();
  }
}
