package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.minicluster.JobState;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.SlurmCommands;

/** Submits the twelve jobs to a cluster, waits for them, and collects what happened. */
final class WorkloadRun {
  private static final int SAMPLE_MS = 100;
  private static final int LOOK_MS = 250;

  /** An ordinary user that every host has. */
  private static final String USER = "nobody";

  private static final String OUT_OF_MEMORY_STATUS = "2:0";

  private final RunKind kind;
  private final MiniCluster cluster;
  private final SlurmCommands user;
  private final double scale;
  private final long deviceBytes;
  private final Progress progress;
  private final Map<Long, Job> submitted = new LinkedHashMap<>();
  private final Map<Long, Long> endsNs = new LinkedHashMap<>();

  WorkloadRun(
      RunKind kind, MiniCluster cluster, double scale, long deviceBytes, Progress progress) {
    this.kind = kind;
    this.cluster = cluster;
    this.scale = scale;
    this.deviceBytes = deviceBytes;
    this.progress = progress;
    user = cluster.as(USER).with(Map.of("DEMO_SCALE", Double.toString(scale)));
  }

  /** Runs the jobs to their end. */
  RunResult run(List<Job> jobs, EmulatedGpu gpu) throws InterruptedException {
    try (Sampler sampler = gpu.sample(SAMPLE_MS)) {
      Timeline timeline = new Timeline(System.nanoTime(), scale);
      for (Job job : jobs) {
        submitted.put(submit(job), job);
      }
      while (endsNs.size() < submitted.size()) {
        Thread.sleep(LOOK_MS);
        look(timeline, sampler);
      }
      return result(timeline, sampler.finish());
    }
  }

  private long submit(Job job) {
    Stream<String> script =
        Stream.of(ClusterPlan.jobScript(cluster.paths(), job.program().name()).toString());
    return user.sbatch(Stream.concat(job.options(kind).stream(), script).toArray(String[]::new));
  }

  private void look(Timeline timeline, Sampler sampler) {
    int running = 0;
    int waiting = 0;
    for (Map.Entry<Long, JobState> job : states().entrySet()) {
      if (job.getValue().isFinished()) {
        endsNs.putIfAbsent(job.getKey(), System.nanoTime());
      } else if (job.getValue() != JobState.PENDING) {
        boolean waits = JobWaits.in(read(submitted.get(job.getKey()).errorFile())).waits();
        waiting += waits ? 1 : 0;
        running += waits ? 0 : 1;
      }
    }
    Sample now = sampler.latest();
    progress.show(
        kind,
        new Progress.State(
            submitted.size() - running - waiting - endsNs.size(),
            running,
            waiting,
            endsNs.size(),
            100.0 * now.usedBytes() / deviceBytes,
            now.utilisationPercent(),
            timeline.seconds(System.nanoTime())));
  }

  private Map<Long, JobState> states() {
    return user.squeue("-h", "-t", "all", "-o", "%A %T")
        .orThrow()
        .stdout()
        .lines()
        .map(line -> line.split(" ", -1))
        .collect(
            Collectors.toMap(words -> Long.valueOf(words[0]), words -> JobState.valueOf(words[1])));
  }

  private RunResult result(Timeline timeline, List<Sample> samples) {
    List<JobResult> results = new ArrayList<>();
    submitted.forEach((id, job) -> results.add(jobResult(timeline, id, job)));
    double total = results.stream().mapToDouble(job -> job.run().to()).max().orElse(0);
    return new RunResult(
        kind,
        results,
        timeline.points(samples, total, deviceBytes),
        timeline.busyPercent(samples, total));
  }

  private JobResult jobResult(Timeline timeline, long id, Job job) {
    Optional<ProgramReport> report = ProgramReport.find(read(job.outputFile()));
    String errors = read(job.errorFile());
    long endNs = endsNs.get(id);
    Span run =
        report
            .map(r -> timeline.span(r.fromNs(), r.toNs()))
            .orElseGet(() -> timeline.span(endNs, endNs));
    return new JobResult(
        job.name(),
        job.program().name(),
        outcome(id),
        run,
        report.map(r -> timeline.spans(r.asking())).orElse(List.of()),
        report.map(r -> timeline.spans(r.holding())).orElse(List.of()),
        report.map(r -> timeline.lengthSeconds(r.kernelNs() - r.busyNs())).orElse(0.0),
        JobWaits.in(errors).begun(),
        errors.lines().reduce("", (before, line) -> line));
  }

  private JobResult.Outcome outcome(long id) {
    if (cluster.jobState(id) == JobState.COMPLETED) {
      return JobResult.Outcome.COMPLETED;
    }
    return cluster.jobField(id, "ExitCode").equals(OUT_OF_MEMORY_STATUS)
        ? JobResult.Outcome.OUT_OF_MEMORY
        : JobResult.Outcome.FAILED;
  }

  /** What a job has written so far; nothing if it did not start. */
  private String read(String file) {
    Path path = cluster.paths().jobs().resolve(file);
    try {
      return Files.exists(path) ? Files.readString(path) : "";
    } catch (IOException e) {
      throw new DemoException("cannot read " + path, e);
    }
  }
}
