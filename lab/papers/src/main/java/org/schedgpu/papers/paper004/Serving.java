package org.schedgpu.papers.paper004;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Figure 13: 42 models for inference on one device. */
final class Serving {
  static final int INSTANCES = 3;
  private static final int REQUESTS = 300;
  private static final double MEAN_GAP_S = 10;
  private static final long SEED = 1;
  private static final double S = 1e9;
  private static final int[] CONTEXT_MIB = {0, 100, 300, 500};
  private static final double TENSORFLOW_MIB = 15_980 / 7.0;

  /** The added time of a request. */
  record Latency(double meanMs, double lateMs, double mostModelMs) {}

  private Serving() {}

  /** Three instances of each of the 14 models, with requests at random. */
  static List<LaneJob> jobs(long seed) {
    return jobs(seed, REQUESTS, MEAN_GAP_S);
  }

  /** The same with so many requests for each, so far apart in the mean. */
  static List<LaneJob> jobs(long seed, int count, double gapS) {
    SplittableRandom random = new SplittableRandom(seed);
    List<LaneJob> jobs = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      for (Workload workload : models()) {
        List<Long> requests = new ArrayList<>();
        double atS = 0;
        for (int k = 0; k < count; k++) {
          atS += -StrictMath.log(1 - random.nextDouble()) * gapS;
          requests.add((long) (atS * S));
        }
        jobs.add(
            LaneJob.of(
                workload.name(),
                0,
                workload.memory(),
                new LaneJob.Work(0, count, workload.cpuNs(), workload.gpuNs(), requests, false)));
      }
    }
    return jobs;
  }

  static List<Workload> models() {
    return Workload.all().stream().filter(workload -> !workload.training()).toList();
  }

  static LaneOutcome play(int lanes, long quantumNs) {
    return LaneSimulation.play(
        jobs(SEED),
        LaneSettings.of(Workload.DEVICE_BYTES, LanePolicy.FAIR)
            .withLanes(lanes)
            .withQuantum(quantumNs));
  }

  /** What requests take longer than alone on the device; those behind one's own are not counted. */
  static Latency added(LaneOutcome outcome) {
    double sum = 0;
    double mostModel = 0;
    List<Double> all = new ArrayList<>();
    for (LaneOutcome.JobRun run : outcome.jobs()) {
      double ofModel = 0;
      double aloneMs = (run.job().work().cpuNs() + run.job().work().gpuNs()) / 1e6;
      for (int k = 0; k < run.endNs().length; k++) {
        long wantedNs = Math.max(run.wantedNs()[k], k == 0 ? 0 : run.endNs()[k - 1]);
        double ms = (run.endNs()[k] - wantedNs) / 1e6 - aloneMs;
        all.add(ms);
        ofModel += ms;
      }
      sum += ofModel;
      mostModel = Math.max(mostModel, ofModel / run.endNs().length);
    }
    List<Double> sorted = all.stream().sorted().toList();
    return new Latency(sum / all.size(), sorted.get((int) (0.99 * sorted.size())), mostModel);
  }

  /** How many devices 42 models need with lanes, each process with a context; first fit. */
  static int devices(double contextMib) {
    List<double[]> devices = new ArrayList<>(); // persistent, largest ephemeral
    double capacity = (double) Workload.DEVICE_BYTES / (1 << 20);
    for (int i = 0; i < INSTANCES; i++) {
      for (Workload model : models()) {
        double persistent = model.persistentMib() + contextMib;
        double ephemeral = model.peakMib() - model.persistentMib();
        double[] found =
            devices.stream()
                .filter(d -> d[0] + persistent + Math.max(d[1], ephemeral) <= capacity)
                .findFirst()
                .orElse(null);
        if (found == null) {
          found = new double[2];
          devices.add(found);
        }
        found[0] += persistent;
        found[1] = Math.max(found[1], ephemeral);
      }
    }
    return devices.size();
  }

  private static double peakSumMib() {
    return INSTANCES * models().stream().mapToDouble(Workload::peakMib).sum();
  }

  static Part part() {
    LaneOutcome quick = play(1, 1_000_000);
    Latency salus = added(quick);
    List<Row> rows =
        List.of(
            Row.ofShape(
                "Figure 13, devices for 42 models",
                "1",
                Integer.toString(devices(0)),
                devices(0) == 1,
                "%s of %s MiB are used at most, with parameters in memory once for each instance."
                    .formatted(
                        Numbers.plain(quick.mostBytes() / (double) (1 << 20), 0),
                        Numbers.plain((double) Workload.DEVICE_BYTES / (1 << 20), 0))),
            Row.ofShape(
                "Figure 13, mean added latency (ms)",
                "below 5",
                Numbers.plain(salus.meanMs(), 2),
                salus.meanMs() < 5,
                "One lane, FAIR with a quantum of 1 ms; 99 %% of the requests below %s ms."
                    .formatted(Numbers.plain(salus.lateMs(), 1))),
            Row.ofShape(
                "the same, the slowest model (ms)",
                "below 5",
                Numbers.plain(salus.mostModelMs(), 2),
                salus.mostModelMs() < 5,
                "The mean of the model that waits most."),
            Row.ofShape(
                "Figure 13, devices with MPS",
                "6",
                Integer.toString((int) Math.ceil(peakSumMib() / 15_980)),
                false,
                ("This does not come out: our peaks are %s MiB in sum. Seven on a device are %s"
                        + " MiB each: a process of TensorFlow with its context, we think.")
                    .formatted(Numbers.plain(peakSumMib(), 0), Numbers.plain(TENSORFLOW_MIB, 0))));
    return new Part(
        "004",
        "Figure 13: 42 models for inference",
        List.of(
            ("14 models, three instances each, a request of one input every %s s at random for each"
                    + " instance (%d requests, seed %d). Memory and times of an inference are"
                    + " ours: parameters of four bytes, and 2 to 33 ms.")
                .formatted(Numbers.plain(MEAN_GAP_S, 0), REQUESTS, SEED)),
        List.of(
            Table.comparison("42 models", rows),
            waysToTurn(),
            new Table(
                "Processes instead of one server: a context in each is persistent memory, too",
                List.of("A context (MiB)", "Devices for 42 models"),
                Arrays.stream(CONTEXT_MIB)
                    .mapToObj(mib -> List.of(Integer.toString(mib), Integer.toString(devices(mib))))
                    .toList())),
        List.of(),
        rows.subList(0, 2));
  }

  /** An idle turn may be taken after 5 ms, whatever the quantum is. */
  private static Table waysToTurn() {
    List<List<String>> rows = new ArrayList<>();
    for (int lanes : new int[] {1, 128}) {
      for (int ms : new int[] {1, 10, 100, 1000}) {
        Latency latency = added(play(lanes, ms * 1_000_000L));
        rows.add(
            List.of(
                lanes == 1 ? "one" : "as many as fit",
                Integer.toString(ms),
                Numbers.plain(latency.meanMs(), 2),
                Numbers.plain(latency.lateMs(), 1)));
      }
    }
    return new Table(
        "Added latency by lanes and quantum; an idle turn goes to a waiter after 5 ms",
        List.of("Lanes", "Quantum (ms)", "Mean (ms)", "99 % below (ms)"),
        rows);
  }
}
