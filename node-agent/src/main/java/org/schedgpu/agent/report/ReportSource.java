package org.schedgpu.agent.report;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobSample;

/** Where a report's facts come from: the history, or what a test makes up. */
public interface ReportSource {
  /**
   * The history in a file, which the caller closes.
   *
   * @throws ReportException if there is none yet
   */
  static HistoryStore open(Path file) {
    return HistoryStore.open(file)
        .orElseThrow(
            () ->
                new ReportException(
                    file
                        + ": there is no history yet: the agent writes it, start schedgpu-agent,"
                        + " or name the file with HistoryFile"));
  }

  /** Tells of the devices at each moment of the window, in any order. */
  void deviceSamples(Window window, Consumer<DeviceSample> consumer);

  /** Tells of the jobs that were there at some moment of the window, in any order. */
  void jobs(Window window, Consumer<JobRecord> consumer);

  /** Tells what a job had at each moment of its life, in any order. */
  void jobSamples(JobRecord job, Consumer<JobSample> consumer);
}
