package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.schedgpu.agent.history.HistoryBatch.JobKey;
import org.schedgpu.agent.history.HistoryBatch.RegionKey;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.history.HistoryBatch.SeenSample;

/** A history file with the content that a test needs. */
public final class WrittenHistory {
  private static final RegionKey REGION = new RegionKey("boot", "/run/schedgpu", 1);

  private WrittenHistory() {}

  /**
   * Writes it as the agent does.
   *
   * @param nowNs time of the last sample
   * @param samples of the jobs, whose rows are their numbers
   */
  public static void write(
      Path file,
      long nowNs,
      List<JobRecord> jobs,
      List<DeviceSample> devices,
      List<JobSample> samples) {
    List<SeenJob> running = new ArrayList<>();
    List<SeenJob> ended = new ArrayList<>();
    for (JobRecord job : jobs) {
      if (job.endedNs().isEmpty()) {
        running.add(new SeenJob(key(job.id()), OptionalLong.empty(), job));
      } else {
        ended.add(new SeenJob(key(job.id()), OptionalLong.of(ended.size() + 1), job));
      }
    }
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(
          new HistoryBatch(
              REGION, nowNs, ended.size(), 0, running, ended, List.of(), devices, List.of()));
      long[] times = samples.stream().mapToLong(JobSample::timeNs).distinct().sorted().toArray();
      for (long time : times) {
        List<SeenSample> then =
            samples.stream()
                .filter(sample -> sample.timeNs() == time)
                .map(
                    sample ->
                        new SeenSample(
                            key(sample.job()),
                            sample.device(),
                            sample.heldBytes(),
                            sample.inUseBytes()))
                .toList();
        writer.write(
            new HistoryBatch(
                REGION, time, ended.size(), 0, List.of(), List.of(), List.of(), List.of(), then));
      }
    }
  }

  private static JobKey key(long id) {
    return new JobKey("slurm", id, id);
  }
}
