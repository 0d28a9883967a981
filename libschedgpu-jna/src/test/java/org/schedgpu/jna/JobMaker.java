package org.schedgpu.jna;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A process that begins jobs, for {@link SchedGpuTest}. */
final class JobMaker {
  private JobMaker() {}

  /** Begins {@code jobs} jobs, and as many again that it also ends. */
  static Process start(Path runDir, long firstId, int jobs) throws IOException {
    return start("make", runDir, firstId, jobs);
  }

  /** Begins one owned job, prints {@code r} and waits until it is killed or its parent ends. */
  static Process startOwner(Path runDir, long id) throws IOException {
    return start("own", runDir, id, 1);
  }

  private static Process start(String what, Path runDir, long id, int jobs) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            "-Dschedgpu.library=" + LibraryFinder.find().orElseThrow(),
            JobMaker.class.getName(),
            what,
            runDir.toString(),
            Long.toString(id),
            Integer.toString(jobs));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  public static void main(String[] args) throws IOException {
    long id = Long.parseLong(args[2]);
    try (SchedGpu region = SchedGpu.open(Path.of(args[1]))) {
      if (args[0].equals("own")) {
        own(region, id);
      }
      for (int i = 0; i < Integer.parseInt(args[3]); i++) {
        region.jobBegin(SchedGpuTest.job(id + i, 1 << 20));
        region.jobBegin(SchedGpuTest.job(id + 500 + i, 1 << 20));
        region.jobEnd(JobKind.SLURM, id + 500 + i);
      }
    }
  }

  private static void own(SchedGpu region, long id) throws IOException {
    JobSpec job = SchedGpuTest.job(id, 1 << 20);
    region.jobBegin(
        new JobSpec(
            JobKind.RUN,
            id,
            job.uid(),
            job.priority(),
            job.mode(),
            job.processes(),
            true,
            job.waitNs(),
            job.budgetBytes(),
            job.name()));
    System.out.print('r');
    System.out.flush();
    System.in.read();
  }
}
