package org.schedgpu.gpucheck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gpucheck.Program.Answer;
import org.schedgpu.gpucheck.Region.Wish;

/** Runs several instances of one program at once, each as its own job, or all without schedGPU. */
final class ConcurrentRuns {
  private static final int SAMPLE_MS = 50;

  private final Check check;
  private final Optional<Region> region;
  private final List<Member> members = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();

  /** How a program ended. */
  enum End {
    DONE,
    OUT_OF_MEMORY,
    FAILED,
    NOT_DONE
  }

  /** The device's used memory according to NVML; seconds since the start of all. */
  record Sample(double seconds, long usedBytes) {}

  /**
   * One of the programs; seconds since the start of all.
   *
   * @param memoryAt when it had its memory; negative: never
   * @param endAt when it finished, or failed
   * @param complaint its error, if it failed
   */
  record Life(double startAt, double memoryAt, double endAt, End end, String complaint) {}

  /**
   * All of them.
   *
   * @param seconds from the first start to the last end
   */
  record RunResults(List<Life> lives, List<Sample> samples, double seconds) {
    long count(End end) {
      return lives.stream().filter(life -> life.end() == end).count();
    }

    long mostUsedBytes() {
      return samples.stream().mapToLong(Sample::usedBytes).max().orElse(0);
    }

    /** For findings. */
    Map<String, Object> figures() {
      return Map.of(
          "done", count(End.DONE),
          "outOfMemory", count(End.OUT_OF_MEMORY),
          "failed", count(End.FAILED),
          "notDone", count(End.NOT_DONE),
          "seconds", seconds,
          "mostUsedBytes", mostUsedBytes());
    }

    /** As text: how they ended, and how long it took. */
    String text() {
      String lost =
          count(End.DONE) == lives.size()
              ? ""
              : ", %d out of memory, %d failed, %d not done"
                  .formatted(count(End.OUT_OF_MEMORY), count(End.FAILED), count(End.NOT_DONE));
      String why =
          lives.stream()
              .filter(life -> life.end() == End.FAILED)
              .map(life -> ": " + life.complaint())
              .findFirst()
              .orElse("");
      return "%d of %d end%s in %.1f s%s"
          .formatted(count(End.DONE), lives.size(), lost, seconds, why);
    }
  }

  /** A program that runs. */
  private static final class Member {
    private final Program program;
    private final long job;
    private final int lines;
    private final int memoryLine;
    private final long startNs = System.nanoTime();
    private int answers;
    private long memoryNs;
    private long endNs;
    private End end;
    private String complaint = "";

    Member(Program program, long job, int lines, int memoryLine) {
      this.program = program;
      this.job = job;
      this.lines = lines;
      this.memoryLine = memoryLine;
    }

    /** Reads the available answers. */
    void look() {
      try {
        for (Answer next = program.poll(); next != null && end == null; next = program.poll()) {
          take(next);
        }
      } catch (CheckException over) {
        finish(End.FAILED, System.nanoTime(), over.getMessage());
      }
    }

    private void take(Answer answer) {
      answers++;
      if (!answer.isDone()) {
        finish(
            answer.isOutOfMemory() ? End.OUT_OF_MEMORY : End.FAILED,
            answer.atNs(),
            "line %d gave %d".formatted(answers, answer.result()));
        return;
      }
      if (answers == memoryLine) {
        memoryNs = answer.atNs();
      }
      if (answers == lines) {
        finish(End.DONE, answer.atNs(), "");
      }
    }

    void finish(End how, long atNs, String why) {
      if (end == null) {
        end = how;
        endNs = atNs;
        complaint = why;
        program.close();
      }
    }

    Life life(long zeroNs) {
      return new Life(
          (startNs - zeroNs) / 1e9,
          memoryNs == 0 ? -1 : (memoryNs - zeroNs) / 1e9,
          (endNs - zeroNs) / 1e9,
          end,
          complaint);
    }
  }

  /**
   * The runs on a region.
   *
   * @param region empty: without schedGPU
   */
  ConcurrentRuns(Check check, Optional<Region> region) {
    this.check = check;
    this.region = region;
  }

  /**
   * Starts all at once and waits for their ends.
   *
   * @param wish options of each job
   * @param lines commands for each program
   * @param memoryLine the program has its memory after the answer to this line (1 = first)
   */
  RunResults run(int count, List<String> command, Wish wish, List<String> lines, int memoryLine)
      throws InterruptedException {
    try {
      for (int i = 0; i < count; i++) {
        members.add(start(command, wish, lines, memoryLine));
      }
      await();
      return story();
    } finally {
      members.forEach(member -> member.program.close());
      for (Member member : members) {
        if (region.isPresent()) {
          region.get().end(member.job);
        }
      }
    }
  }

  private Member start(List<String> command, Wish wish, List<String> lines, int memoryLine)
      throws InterruptedException {
    long job = region.isPresent() ? region.get().begin(wish) : 0;
    Map<String, String> environment =
        region.map(r -> r.environmentOf(job)).orElseGet(check.machine()::environment);
    Program program = check.start(command, environment);
    lines.forEach(program::tell);
    return new Member(program, job, lines.size(), memoryLine);
  }

  private void await() throws InterruptedException {
    while (members.stream().anyMatch(member -> member.end == null)) {
      members.forEach(Member::look);
      samples.add(new Sample((System.nanoTime() - zeroNs()) / 1e9, check.usedBytes()));
      if (check.deadline().isOver()) {
        members.forEach(member -> member.finish(End.NOT_DONE, System.nanoTime(), "no time left"));
      }
      Thread.sleep(SAMPLE_MS);
    }
  }

  private long zeroNs() {
    return members.get(0).startNs;
  }

  private RunResults story() {
    List<Life> lives = members.stream().map(member -> member.life(zeroNs())).toList();
    double seconds = lives.stream().map(Life::endAt).max(Comparator.naturalOrder()).orElse(0.0);
    return new RunResults(lives, List.copyOf(samples), seconds);
  }
}
