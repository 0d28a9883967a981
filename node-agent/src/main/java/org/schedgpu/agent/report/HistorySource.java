package org.schedgpu.agent.report;

import java.util.function.Consumer;
import org.schedgpu.agent.history.DeviceSample;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.JobQuery;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.agent.history.JobSample;

/** The history of a node as a source. */
public final class HistorySource implements ReportSource {
  /** The part of a window that may be empty at its beginning. */
  private static final int MUCH = 10;

  private final HistoryStore store;

  /** One that the caller closes. */
  public HistorySource(HistoryStore store) {
    this.store = store;
  }

  /**
   * The window without its beginning, if nothing is recorded of that: the agent is new on this
   * node.
   */
  public Window recorded(Window window) {
    long first = store.firstNs(window.fromNs(), window.untilNs()).orElse(window.fromNs());
    boolean shorter = first - window.fromNs() > window.lengthNs() / MUCH;
    return shorter ? new Window(first, window.untilNs()) : window;
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
