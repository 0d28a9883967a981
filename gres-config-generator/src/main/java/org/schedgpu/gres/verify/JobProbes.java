package org.schedgpu.gres.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.live.GpuCounts;
import org.schedgpu.gres.live.SrunJobs;

/** Runs the jobs of {@code --run-job}, a few at a time, and judges what they saw. */
public final class JobProbes {
  private static final int AT_A_TIME = 8;

  /** Time for srun's start and end, in addition to the job's own limit. */
  private static final int GRACE_SECONDS = 30;

  private final Map<String, String> environment;
  private final JobRequest request;
  private final boolean shouldConfine;
  private final List<Finding> findings = new ArrayList<>();
  private final Map<String, Set<String>> nodesByNote = new LinkedHashMap<>();
  private final AtomicInteger done = new AtomicInteger();

  /**
   * @param folder its cgroup.conf says whether jobs are confined
   */
  public JobProbes(Map<String, String> environment, JobRequest request, Path folder) {
    this.environment = environment;
    this.request = request;
    shouldConfine = constrainsDevices(folder.resolve("cgroup.conf"));
  }

  /** The problems, in the order of the nodes. */
  public List<Finding> findings() {
    return findings;
  }

  /** Notes; one that applies to several nodes appears once. */
  public List<String> notes() {
    return nodesByNote.entrySet().stream()
        .map(entry -> Hostlist.compress(entry.getValue()) + ": " + entry.getKey())
        .toList();
  }

  private record Task(PlannedNode node, String type) {}

  /**
   * Runs one job for each node and type; returns when all have ended.
   *
   * @param progress receives a line as each ends
   */
  public void run(List<PlannedNode> nodes, Consumer<String> progress) {
    List<Task> tasks =
        nodes.stream()
            .flatMap(n -> GpuCounts.of(n.gres()).keySet().stream().map(type -> new Task(n, type)))
            .toList();
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try (SrunJobs jobs = new SrunJobs(environment)) {
      List<Future<JobCheck>> judges = new ArrayList<>();
      for (Task task : tasks) {
        String name =
            "schedgpu-verify-%d-%d".formatted(ProcessHandle.current().pid(), judges.size());
        judges.add(
            threads.submit(
                () -> {
                  JobCheck judge = probe(jobs, name, task);
                  progress.accept(
                      "job %d of %d: %s"
                          .formatted(done.incrementAndGet(), tasks.size(), task.node().name()));
                  return judge;
                }));
      }
      for (int i = 0; i < judges.size(); i++) {
        collect(tasks.get(i).node().name(), judges.get(i));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void collect(String node, Future<JobCheck> future) {
    try {
      JobCheck judge = future.get();
      findings.addAll(judge.findings());
      judge
          .notes()
          .forEach(note -> nodesByNote.computeIfAbsent(note, n -> new LinkedHashSet<>()).add(node));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GresException("the jobs were interrupted", "repeat", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GresException ours) {
        throw ours;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private JobCheck probe(SrunJobs jobs, String name, Task task) {
    JobCheck judge = new JobCheck(task.node(), shouldConfine);
    List<String> files =
        task.node().devices().stream().map(PlannedNode.PlannedDevice::file).toList();
    SrunJobs.Ended ended =
        jobs.run(
            name,
            request.srun(name, task.node().name(), task.type(), JobOutput.program(files)),
            Duration.ofSeconds(request.waitSeconds() + request.limitSeconds() + GRACE_SECONDS));
    Optional<JobOutput> answer = JobOutput.parse(ended.out());
    if (ended.inTime() && ended.exitCode() == 0 && answer.isPresent()) {
      judge.judge(answer.get());
    } else {
      judge.notRun(ended, task.type());
    }
    return judge;
  }

  /** A missing or empty cgroup.conf confines no job. */
  private static boolean constrainsDevices(Path cgroupConf) {
    try {
      return Files.readAllLines(cgroupConf).stream()
          .map(line -> line.strip().toLowerCase(Locale.ROOT).replaceAll("\\s", ""))
          .anyMatch(line -> line.startsWith("constraindevices=yes"));
    } catch (IOException e) {
      return false;
    }
  }
}
