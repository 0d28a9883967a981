package org.schedgpu.agent.overrun;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.schedgpu.agent.conf.UnscheduledAction;
import org.schedgpu.agent.history.Unscheduled;
import org.schedgpu.agent.overrun.GpuUse.JobUse;
import org.schedgpu.agent.task.AgentCounts;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers which programs of scheduled jobs run unscheduled, logs each once, and keeps the files
 * of their steps until the job ends. Used by one thread.
 */
final class UnscheduledWatch {
  private static final Logger LOG = LoggerFactory.getLogger(UnscheduledWatch.class);

  private static final OptionalInt EVERYBODY = OptionalInt.empty();

  private final UnscheduledFiles files;
  private final IntFunction<Path> folders;
  private final AgentCounts counts;
  private final BiConsumer<Job, Unscheduled> history;
  private final Map<String, UnscheduledStep> steps = new HashMap<>();
  private Map<String, Long> begun = Map.of();
  private boolean loaded;

  /**
   * @param folders of processes in /proc, by pid
   * @param counts gets the number of such processes on each device
   * @param history gets what each job had of them
   */
  UnscheduledWatch(
      Path runDir,
      IntFunction<Path> folders,
      AgentCounts counts,
      BiConsumer<Job, Unscheduled> history) {
    this.files = new UnscheduledFiles(runDir);
    this.folders = folders;
    this.counts = counts;
    this.history = history;
  }

  /**
   * One confirmed look at the devices.
   *
   * @param action what is done about such programs, which their user is told
   * @param brokered true with Mode=brokered: then only the job's user may read its files
   */
  void look(GpuUse use, RegionSnapshot now, UnscheduledAction action, boolean brokered) {
    if (!loaded) { // an agent before this one may have written some
      files.read().forEach(step -> steps.put(step.fileName(), step));
      loaded = true;
    }
    forgetEnded(now);
    Map<String, UnscheduledStep> seen = seen(use);
    Set<String> names = new HashSet<>(steps.keySet());
    names.addAll(seen.keySet());
    for (String name : names) {
      UnscheduledStep before = steps.get(name);
      UnscheduledStep after = after(before, seen.get(name));
      steps.put(name, after);
      if (!after.equals(before)) {
        try {
          files.write(after, action, brokered ? userOf(after, now) : EVERYBODY);
        } finally {
          logNew(before, after); // last: who has read the line finds the file
        }
      }
    }
    Map<Integer, Integer> onDevice = new HashMap<>();
    use.jobs().forEach(one -> onDevice.merge(one.device(), one.unscheduled().size(), Integer::sum));
    counts.unscheduled(onDevice);
    use.jobs().stream()
        .filter(one -> !one.unscheduled().isEmpty())
        .collect(groupingBy(one -> one.job().reference()))
        .values()
        .forEach(this::tellHistory);
  }

  /** What a look shows of one job, on all devices. */
  private void tellHistory(List<JobUse> uses) {
    Job job = uses.get(0).job();
    long processes =
        steps.values().stream()
            .filter(step -> step.job().equals(job.reference()))
            .flatMap(step -> step.programs().stream())
            .mapToInt(UnscheduledProgram::pid)
            .distinct()
            .count();
    List<Long> known =
        uses.stream()
            .flatMap(one -> one.unscheduled().stream())
            .flatMap(user -> user.usedBytes().stream().boxed())
            .toList();
    history.accept(
        job,
        new Unscheduled(
            (int) processes,
            known.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(known.stream().mapToLong(Long::longValue).sum())));
  }

  /** Root, if the job has just ended. */
  private static OptionalInt userOf(UnscheduledStep step, RegionSnapshot now) {
    return OptionalInt.of(
        now.jobs().stream()
            .filter(job -> job.reference().equals(step.job()))
            .mapToInt(Job::uid)
            .findFirst()
            .orElse(0));
  }

  /** A job that was requeued has its number again, and another begin. */
  private void forgetEnded(RegionSnapshot now) {
    Map<String, Long> jobs =
        now.jobs().stream().collect(toMap(Job::reference, Job::begunNs, (one, other) -> one));
    steps.values().stream()
        .filter(
            step -> {
              Long there = jobs.get(step.job());
              return there == null || !there.equals(begun.getOrDefault(step.job(), there));
            })
        .toList()
        .forEach(
            step -> {
              files.remove(step);
              steps.remove(step.fileName());
            });
    begun = jobs;
  }

  private Map<String, UnscheduledStep> seen(GpuUse use) {
    Map<String, UnscheduledStep> seen = new LinkedHashMap<>();
    for (JobUse job : use.jobs()) {
      for (GpuUser user : job.unscheduled()) {
        UnscheduledStep one =
            new UnscheduledStep(job.job().reference(), user.step(), List.of(program(job, user)));
        seen.merge(one.fileName(), one, UnscheduledStep::with);
      }
    }
    return seen;
  }

  private UnscheduledProgram program(JobUse job, GpuUser user) {
    return UnscheduledProgram.of(
        user, job.device(), UncaughtProgram.of(job.job().uid(), folders.apply(user.pid())));
  }

  /** What is known of a step after a look; null where nothing was known, or is seen. */
  private static UnscheduledStep after(UnscheduledStep before, UnscheduledStep here) {
    if (before == null) {
      return here;
    }
    return before.after(here == null ? List.of() : here.programs());
  }

  private static void logNew(UnscheduledStep before, UnscheduledStep after) {
    after.programs().stream()
        .filter(one -> before == null || !before.knows(one))
        .forEach(one -> log(after, one));
  }

  private static void log(UnscheduledStep step, UnscheduledProgram one) {
    LOG.warn(
        "unscheduled job={} step={} pid={} program={} device={} bytes={}: {}",
        step.job(),
        step.step().isEmpty() ? "-" : step.step(),
        one.pid(),
        one.name(),
        one.device(),
        one.mostBytes().isPresent() ? one.mostBytes().getAsLong() : "-",
        one.why().silent());
  }
}
