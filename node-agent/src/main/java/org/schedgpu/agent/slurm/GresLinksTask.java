package org.schedgpu.agent.slurm;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.schedgpu.agent.log.LogOnce;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.gres.common.SlurmVersion;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once that gres.conf was written for another release of Slurm, because Slurm may be upgraded
 * while the agent runs.
 */
public final class GresLinksTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(GresLinksTask.class);
  private static final long EVERY_NS = TimeUnit.HOURS.toNanos(1);

  private final Map<String, String> environment;
  private final Supplier<Optional<SlurmVersion>> version;
  private final LogOnce problem = new LogOnce(LOG);

  /**
   * @param environment SLURM_CONF is taken from it
   * @param version of the installed Slurm
   */
  public GresLinksTask(Map<String, String> environment, Supplier<Optional<SlurmVersion>> version) {
    this.environment = Map.copyOf(environment);
    this.version = version;
  }

  @Override
  public String name() {
    return "gres-links";
  }

  @Override
  public long run(long nowNs) {
    Optional<Path> slurmConf = SlurmSetup.find(environment);
    Optional<Finding> wrong =
        slurmConf.flatMap(path -> GresLinks.check(path, version)).filter(finding -> !finding.ok());
    wrong.ifPresentOrElse(
        finding -> {
          String text = finding.text() + ": " + finding.todo();
          problem.tell(text, new AgentException(text));
        },
        problem::over);
    return EVERY_NS;
  }
}
