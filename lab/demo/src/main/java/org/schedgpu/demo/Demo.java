package org.schedgpu.demo;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.minicluster.MiniCluster;
import org.schedgpu.minicluster.MiniClusterException;

/**
 * Runs the workload in several ways and reports the results. Exit status: 0, or 1 if the demo
 * failed or a job was lost in a run that must not lose any.
 */
public final class Demo {
  private final Settings settings;
  private final Artifacts artifacts;
  private final PrintStream out;
  private final Stop stop;
  private final Progress progress;

  private Demo(Settings settings, Artifacts artifacts, PrintStream out) {
    this.settings = settings;
    this.artifacts = artifacts;
    this.out = out;
    stop = new Stop(out);
    progress = new Progress(out, Boolean.getBoolean("demo.terminal"));
  }

  /**
   * The demo. The system property {@code demo.root} names the project's folder, {@code
   * demo.terminal} says whether the output is a terminal; settings come from the environment (see
   * {@link Settings}).
   *
   * @param arguments none
   */
  public static void main(String[] arguments) {
    Path root = Path.of(System.getProperty("demo.root", ".")).toAbsolutePath().normalize();
    int status = 1;
    try {
      status = run(Settings.of(System.getenv(), root), new Artifacts(root), System.out);
    } catch (DemoException | MiniClusterException e) {
      System.err.println(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(status);
  }

  private static int run(Settings settings, Artifacts artifacts, PrintStream out)
      throws InterruptedException {
    artifacts.require(settings.runs());
    Demo demo = new Demo(settings, artifacts, out);
    try {
      return demo.runAll();
    } catch (DemoException | MiniClusterException e) {
      if (demo.stop.isStopping()) {
        return 1;
      }
      throw e;
    }
  }

  private int runAll() throws InterruptedException {
    Workload workload =
        settings.pytorch() ? new TrainingWorkload(artifacts) : PaperWorkload.of(artifacts);
    out.print(workload.introduction(settings.scale()));
    List<RunResult> results = new ArrayList<>();
    for (RunKind kind : settings.runs()) {
      RunResult result = runOne(kind, workload);
      progress.done(result);
      results.add(result);
    }
    Report report = new Report(settings, workload, results);
    out.println(report.text());
    report.write();
    out.println("Written: " + settings.output() + "/{result.json,demo.png,demo.svg,demo.txt}");
    return results.stream().anyMatch(RunResult::lostJobs) ? 1 : 0;
  }

  private RunResult runOne(RunKind kind, Workload workload) throws InterruptedException {
    Program any = workload.programs().get(0);
    try (stop) {
      EmulatedGpu gpu = stop.closeLater(new EmulatedGpu(artifacts, kind.word(), any));
      ClusterPlan plan = new ClusterPlan(kind, artifacts, gpu, workload);
      MiniCluster cluster = stop.closeLater(plan.build());
      cluster.start();
      long deviceBytes = any.deviceMiB() << 20;
      return new WorkloadRun(kind, cluster, settings.scale(), deviceBytes, progress)
          .run(Job.inOrder(workload.programs()), gpu);
    }
  }
}
