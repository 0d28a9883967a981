package org.schedgpu.agent.suggest;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.SchedGpu;

/**
 * With SlurmComment: reports the usage of jobs to Slurm. This task only reads the region; a
 * separate thread talks to Slurm.
 */
public final class CommentTask implements PeriodicTask {
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(5);

  private final RegionAccess access;
  private final Supplier<Conf> conf;
  private Commenter commenter;

  /**
   * For a region.
   *
   * @param access of the thread that runs this task
   * @param conf gives the current configuration, also to the other thread
   */
  public CommentTask(RegionAccess access, Supplier<Conf> conf) {
    this.access = access;
    this.conf = conf;
  }

  @Override
  public String name() {
    return "slurm-comment";
  }

  @Override
  public long run(long nowNs) {
    if (conf.get().slurmComment().isEmpty()) {
      close();
    } else {
      access.use(this::look);
    }
    return LOOK_NS;
  }

  private void look(SchedGpu region) {
    if (commenter == null) {
      commenter = new Commenter(conf);
    }
    commenter.look(region.snapshot(), RegionSnapshot.nowNs());
  }

  @Override
  public void close() {
    if (commenter != null) {
      commenter.close();
      commenter = null;
    }
  }
}
