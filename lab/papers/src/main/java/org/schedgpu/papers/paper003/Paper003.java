package org.schedgpu.papers.paper003;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.remote.NodeModel;
import org.schedgpu.papers.remote.QueueJob;
import org.schedgpu.papers.remote.QueueOutcome;
import org.schedgpu.papers.remote.QueueRule;
import org.schedgpu.papers.remote.QueueSimulation;

/** All of paper 003. */
public final class Paper003 {
  private static final JobGenerator YEAR = new JobGenerator(365, 160, 75);
  private static final int SEEDS = 6;

  private Paper003() {}

  /**
   * Plays it.
   *
   * @param threads that play at the same time; what comes out does not depend on it
   * @param progress is told what begins and what is done
   */
  public static List<Part> parts(int threads, Consumer<String> progress) {
    List<Part> parts = new ArrayList<>(small(progress));
    progress.accept("003: Figures 9 to 11, Table 3: a year of jobs, " + SEEDS + " seeds");
    YearPart year = new YearPart(YEAR, years(threads, progress));
    parts.add(year.figures());
    parts.add(year.tableThree());
    parts.add(year.local());
    return parts;
  }

  /** What takes no time: Figures 2, 7 and 8. */
  public static List<Part> small(Consumer<String> progress) {
    progress.accept("003: Figure 2, the model; Figures 7 and 8, a congested queue");
    return List.of(new FigureTwo().part(), new SmallQueue().part());
  }

  /** The row of the first seed in the table of seeds, played alone. */
  public static List<String> firstSeed() {
    List<QueueJob> jobs = YEAR.jobs(1);
    QueueOutcome g = play(jobs, QueueRule.G);
    QueueOutcome r = play(jobs, QueueRule.R);
    return YearPart.seedRow(1, Differences.of(jobs, g, r), 100.0 * r.remoteJobs() / jobs.size());
  }

  private static QueueOutcome play(List<QueueJob> jobs, QueueRule rule) {
    return QueueSimulation.play(jobs, YearOfJobs.NODES, NodeModel.tsubame(), rule);
  }

  private static List<YearOfJobs> years(int threads, Consumer<String> progress) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<YearOfJobs>> playing = new ArrayList<>();
      for (long seed = 1; seed <= SEEDS; seed++) {
        long number = seed;
        playing.add(
            pool.submit(
                () -> {
                  YearOfJobs year = YearOfJobs.play(YEAR, number);
                  progress.accept("003: seed " + number + " of " + SEEDS + " done");
                  return year;
                }));
      }
      List<YearOfJobs> years = new ArrayList<>();
      for (Future<YearOfJobs> year : playing) {
        years.add(year.get());
      }
      return years;
    } catch (ExecutionException problem) {
      throw new IllegalStateException(problem.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    } finally {
      pool.shutdownNow();
    }
  }
}
