package org.schedgpu.agent.jobs;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.task.RunDirWatch;
import org.schedgpu.jna.FileWatch;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs events of jobs. The root side writes the checkpoint when a job begins or ends, and this task
 * sees that at once. For waits it checks once a second whether somebody wrote the region.
 */
public final class JobLogTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(JobLogTask.class);
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

  /** One snapshot a second is enough where jobs begin and end all the time. */
  private static final long REST_NS = LOOK_NS;

  private final RegionAccess access;
  private final RunDirWatch watch;
  private final Map<Integer, String> users = new HashMap<>();
  private final JobEvents events = new JobEvents(this::user, RegionSnapshot.nowNs());
  private long changes;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   */
  public JobLogTask(RegionAccess access) {
    this.access = access;
    watch = new RunDirWatch(access, FileWatch::watchReplacements);
  }

  @Override
  public String name() {
    return "jobs";
  }

  @Override
  public OptionalInt descriptor() {
    return watch.descriptor();
  }

  @Override
  public long restNs() {
    return REST_NS;
  }

  @Override
  public long run(long nowNs) {
    watch.drain();
    access.use(this::look);
    return LOOK_NS;
  }

  private void look(SchedGpu region) {
    boolean another = watch.follow();
    long now = region.changes();
    if (!another && now == changes) {
      return;
    }
    changes = -1; // odd, until there is a snapshot: a region at rest never has such a number
    RegionSnapshot snapshot = region.snapshotAfter(events.lastEnded());
    changes = now;
    events.changes(snapshot, RegionSnapshot.nowNs()).forEach(LOG::info);
  }

  private String user(int uid) {
    return users.computeIfAbsent(
        uid, number -> Posix.userName(number).orElse(Integer.toUnsignedString(number)));
  }

  @Override
  public void close() {
    watch.close();
  }
}
