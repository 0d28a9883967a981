package org.schedgpu.papers.paper004;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.papers.common.Bars;
import org.schedgpu.papers.common.Numbers;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.Row;
import org.schedgpu.papers.common.Table;

/** Figure 12: 300 jobs of one kind, all at once. */
final class Exploration {
  private static final int JOBS = 300;
  private static final int ITERATIONS = 500;
  private static final int[] BUSY_PERCENT = {100, 80, 60, 40, 20};

  /** FIFO and PACK. */
  private record Makespans(double fifoMinutes, double packMinutes, int lanes) {
    double gain() {
      return fifoMinutes / packMinutes;
    }
  }

  private final Makespans resnet = play(job("resnet50 50", 0));
  private final Makespans resnetStarts =
      play(job("resnet50 50", (long) (Workload.named("resnet50 50").startupS() * 1e9)));
  private final Makespans superres = play(job("superres 128", 0));

  private static LaneJob job(String name, long startupNs) {
    Workload of = Workload.named(name);
    return LaneJob.of(
        name,
        0,
        of.memory(),
        new LaneJob.Work(startupNs, ITERATIONS, of.cpuNs(), of.gpuNs(), List.of(), true));
  }

  private static LaneJob busy(int percent) {
    LaneJob like = job("superres 128", 0);
    long lengthNs = like.work().cpuNs() + like.work().gpuNs();
    long gpuNs = lengthNs * percent / 100;
    return LaneJob.of(
        like.name(), 0, like.memory(), LaneJob.Work.training(ITERATIONS, lengthNs - gpuNs, gpuNs));
  }

  private static Makespans play(LaneJob job) {
    List<LaneJob> jobs = Collections.nCopies(JOBS, job);
    LaneOutcome pack =
        LaneSimulation.play(jobs, LaneSettings.of(Workload.DEVICE_BYTES, LanePolicy.PACK));
    double alone = job.work().startupNs() + job.work().lengthNs();
    return new Makespans(JOBS * alone / 60e9, pack.makespanNs() / 60e9, pack.mostLanes());
  }

  Part part() {
    List<Row> rows =
        List.of(
            Row.of(
                "Figure 12, superres 128, PACK (times)",
                2.38,
                superres.gain(),
                2,
                "Fitted: a job leaves the device idle for %s %% of its time; %d lanes."
                    .formatted(
                        Numbers.plain(100 - Workload.named("superres 128").busyPercent(), 0),
                        superres.lanes())),
            Row.of(
                "Figure 12, resnet50 50, PACK (times)",
                1.07,
                resnet.gain(),
                2,
                "The device computes for 95 %% of a job's time: computing is the bottleneck; %d lanes."
                    .formatted(resnet.lanes())),
            Row.of(
                "the same, where FIFO waits for start-ups (times)",
                1.07,
                resnetStarts.gain(),
                2,
                "The authors measured start-ups of 20.9 s, which overlap in lanes. If their FIFO"
                    + " has them, this does not come out: Salus is up to 10 % slower in each"
                    + " iteration, which is not played here."));
    return new Part(
        "004",
        "Figure 12: 300 jobs at once",
        List.of(
            "300 jobs of %d iterations each, as in the authors' script; FIFO is 300 times one job"
                    .formatted(ITERATIONS)
                + " alone, as there. The memory and times of superres are ours."),
        List.of(Table.comparison("Makespan of FIFO over that of lanes", rows), byBusy()),
        List.of(
            new Picture(
                "004-figure-12.png",
                "Figure 12: makespan of 300 jobs",
                () ->
                    new Bars(
                            "Figure 12: makespan of 300 jobs (simulated)",
                            "",
                            "minutes",
                            List.of("resnet50 50", "superres 128"))
                        .series("FIFO", resnet.fifoMinutes(), superres.fifoMinutes())
                        .series("PACK", resnet.packMinutes(), superres.packMinutes())
                        .draw())),
        rows.subList(0, 2));
  }

  /** What the fitted value decides. */
  private static Table byBusy() {
    List<List<String>> rows = new ArrayList<>();
    for (int percent : BUSY_PERCENT) {
      rows.add(List.of(percent + " %", Numbers.plain(play(busy(percent)).gain(), 2)));
    }
    return new Table(
        "The gain of superres 128 by how much of its time a job computes",
        List.of("Device busy, one job", "Gain (times)"),
        rows);
  }
}
