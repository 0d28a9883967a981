package org.schedgpu.agent.report;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobSample;

/** The source of a report: the history, or a test's own data. */
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

  /** Passes on the samples of devices in the window, in any order. */
  void deviceSamples(Window window, Consumer<DeviceSample> consumer);

  /** Passes on the jobs that existed in the window, in any order. */
  void jobs(Window window, Consumer<JobRecord> consumer);

  /** Passes on the samples of a job's life, in any order. */
  void jobSamples(JobRecord job, Consumer<JobSample> consumer);
}
