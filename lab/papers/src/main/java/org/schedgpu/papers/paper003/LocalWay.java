package org.schedgpu.papers.paper003;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.schedgpu.jna.Policy;
import org.schedgpu.papers.remote.NodeModel;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;
import org.schedgpu.simulator.cluster.NodeSpec;
import org.schedgpu.simulator.engine.NodeChoice;
import org.schedgpu.simulator.engine.Outcome;
import org.schedgpu.simulator.engine.Scenario;
import org.schedgpu.simulator.engine.Settings;
import org.schedgpu.simulator.engine.Simulation;
import org.schedgpu.simulator.job.Job;

/**
 * What the paper could not have: the same jobs on local devices only, Slurm's queue and schedGPU.
 */
enum LocalWay {
  EXCLUSIVE("Slurm, one job per GPU", 400),
  SHARES_40("2 shares per GPU, schedGPU MMU, GPU busy 40 %", 400),
  MEMORY_40("shares by memory, schedGPU MMU, GPU busy 40 %", 400),
  MEMORY_80("shares by memory, schedGPU MMU, GPU busy 80 %", 800);

  private static final double NS = 1e9;
  private static final long MIB = 1L << 20;
  private static final long DEVICE_BYTES = 6144 * MIB;
  private static final long CONTEXT_BYTES = 100 * MIB;
  private static final int OVERTAKE_LIMIT = 64;
  private static final int LIMIT_OF_RUN = 2;
  private static final int SHARES = 2;
  private static final int ALL_PERCENT = 100;
  private static final long SHARD_BYTES = 64 * MIB;

  private final String title;
  private final int busyPermille;

  LocalWay(String title, int busyPermille) {
    this.title = title;
    this.busyPermille = busyPermille;
  }

  /**
   * What came out.
   *
   * @param waitS mean time until a job has its memory
   * @param runS mean time from then on
   * @param laterPercent jobs that end later than on the G queue, by more than a second
   * @param neverEnded jobs that wait for each other on several nodes
   */
  record Result(double waitS, double runS, double laterPercent, long neverEnded) {}

  String title() {
    return title;
  }

  private Scenario scenario() {
    return switch (this) {
      case EXCLUSIVE -> Scenario.exclusive();
      case SHARES_40 -> Scenario.shares(SHARES, Policy.MMU);
      case MEMORY_40, MEMORY_80 -> Scenario.memory(ALL_PERCENT, SHARD_BYTES, Policy.MMU);
    };
  }

  Result play(List<QueueJob> queueJobs, QueueOutcome g) {
    NodeModel node = NodeModel.tsubame();
    List<Job> jobs = new ArrayList<>(queueJobs.size());
    for (QueueJob job : queueJobs) {
      jobs.add(job(job, node));
    }
    NodeSpec spec =
        new NodeSpec("n", node.cpus(), node.memoryBytes(), "k20x", node.gpus(), DEVICE_BYTES);
    Settings settings =
        new Settings(
            Collections.nCopies(YearOfJobs.NODES, spec),
            CONTEXT_BYTES,
            OVERTAKE_LIMIT,
            NodeChoice.TIGHTEST,
            false);
    return result(jobs, Simulation.play(jobs, settings, scenario(), ended -> {}), g);
  }

  /** A job that takes all host memory of a node takes all memory of its devices. */
  private Job job(QueueJob job, NodeModel node) {
    double share = (double) job.memoryBytes() / node.memoryBytes();
    return new Job(
        job.id(),
        job.arriveNs(),
        0,
        job.runNs(),
        LIMIT_OF_RUN * job.runNs(),
        job.nodes(),
        job.gpus(),
        job.cpus(),
        job.memoryBytes(),
        List.of(),
        (long) (share * (DEVICE_BYTES - CONTEXT_BYTES)),
        busyPermille,
        0);
  }

  private static Result result(List<Job> jobs, Outcome outcome, QueueOutcome g) {
    double waitS = 0;
    double runS = 0;
    int later = 0;
    int ended = 0;
    for (int i = 0; i < jobs.size(); i++) {
      if (outcome.endNs()[i] == Outcome.NEVER) {
        continue;
      }
      ended++;
      waitS += (outcome.computeNs()[i] - jobs.get(i).submitNs()) / NS;
      runS += (outcome.endNs()[i] - outcome.computeNs()[i]) / NS;
      later += outcome.endNs()[i] - g.endNs()[i] > NS ? 1 : 0;
    }
    return new Result(waitS / ended, runS / ended, 100.0 * later / ended, jobs.size() - ended);
  }
}
