package org.schedgpu.agent.overrun;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.schedgpu.agent.conf.UnscheduledAction;

/**
 * The programs of a step of a job that ran unscheduled. The agent writes them into a file of the
 * run directory; when the step ends, the SPANK plugin or {@code schedgpu run} prints its first line
 * to the job's stderr.
 *
 * @param job reference of the job
 * @param step of Slurm, such as {@code 0} or {@code batch}; "" if no control group names it
 * @param programs in the order in which they were seen, at least one
 */
record UnscheduledStep(String job, String step, List<UnscheduledProgram> programs) {
  /** More are not written down: a program may start others all the time. */
  private static final int MAX_PROGRAMS = 32;

  /** The name of its file: {@code slurm-4711.batch}, {@code run-31}. */
  String fileName() {
    return job.replace(':', '-') + (step.isEmpty() ? "" : "." + step);
  }

  /** The content of its file: a line for the user, and a line for each program. */
  List<String> lines(UnscheduledAction action) {
    return Stream.concat(Stream.of(told(action)), programs.stream().map(UnscheduledProgram::line))
        .toList();
  }

  /** What a file says; empty if it is damaged. */
  static Optional<UnscheduledStep> of(String fileName, List<String> lines) {
    int dot = fileName.indexOf('.');
    String job = (dot < 0 ? fileName : fileName.substring(0, dot)).replaceFirst("-", ":");
    List<UnscheduledProgram> programs =
        lines.stream().skip(1).map(UnscheduledProgram::of).flatMap(Optional::stream).toList();
    return programs.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new UnscheduledStep(job, dot < 0 ? "" : fileName.substring(dot + 1), programs));
  }

  /** What the user is told: the program that used most, and what to do. */
  String told(UnscheduledAction action) {
    UnscheduledProgram most =
        programs.stream()
            .max(Comparator.comparingLong(program -> program.mostBytes().orElse(0)))
            .orElseThrow();
    long others = programs.stream().mapToInt(UnscheduledProgram::pid).distinct().count() - 1;
    return "%s: %s (pid %d)%s ran unscheduled, with %sdevice %d%s: %s: %s"
        .formatted(
            job,
            most.name(),
            most.pid(),
            others == 0 ? "" : " and " + others + " more",
            most.amount(),
            most.device(),
            switch (action) {
              case WARN -> "";
              case GATE -> ", and the job was charged with its whole budget";
              case REFUSE -> step.isEmpty() ? "" : ", and this node ends such programs";
            },
            most.why().silent(),
            most.why().forUser(job.startsWith("run:")));
  }

  /** With those of another device of the same look. */
  UnscheduledStep with(UnscheduledStep more) {
    return new UnscheduledStep(
        job,
        step,
        Stream.concat(programs.stream(), more.programs().stream()).limit(MAX_PROGRAMS).toList());
  }

  /** After another look, which shows these. */
  UnscheduledStep after(List<UnscheduledProgram> seen) {
    List<UnscheduledProgram> all = new ArrayList<>(programs);
    seen.stream()
        .filter(one -> !knows(one))
        .limit(Math.max(0, MAX_PROGRAMS - programs.size()))
        .forEach(all::add);
    return new UnscheduledStep(
        job, step, all.stream().map(one -> one.after(find(seen, one))).toList());
  }

  boolean knows(UnscheduledProgram one) {
    return find(programs, one).isPresent();
  }

  private static Optional<UnscheduledProgram> find(
      List<UnscheduledProgram> seen, UnscheduledProgram one) {
    return seen.stream().filter(other -> other.isOn(one.pid(), one.device())).findFirst();
  }
}
