package org.schedgpu.agent.report;

import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobQuery;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobSample;

/** The history of a node as a source. */
public final class HistorySource implements ReportSource {
  private final HistoryStore store;

  /** One that the caller closes. */
  public HistorySource(HistoryStore store) {
    this.store = store;
  }

  @Override
  public void deviceSamples(Window window, Consumer<DeviceSample> consumer) {
    store.eachDeviceSample(window.fromNs(), window.untilNs(), 1, consumer);
  }

  @Override
  public void jobs(Window window, Consumer<JobRecord> consumer) {
    store.eachJob(JobQuery.all().since(window.fromNs()).until(window.untilNs()), consumer);
  }

  @Override
  public void jobSamples(JobRecord job, Consumer<JobSample> consumer) {
    store.eachJobSample(job, consumer);
  }
}
