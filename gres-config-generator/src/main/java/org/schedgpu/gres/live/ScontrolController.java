package org.schedgpu.gres.live;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reaches slurmctld through scontrol and squeue, as the user of this process. */
public final class ScontrolController implements Controller {
  private static final String WAY_OUT =
      "see that slurmctld runs and that SLURM_CONF is the cluster's: scontrol ping";

  private final SlurmTool tool;

  /**
   * @param environment provides PATH and SLURM_CONF
   */
  public ScontrolController(Map<String, String> environment) {
    this(environment, Duration.ofSeconds(LIMIT_SECONDS));
  }

  ScontrolController(Map<String, String> environment, Duration limit) {
    tool = new SlurmTool(environment, limit);
  }

  @Override
  public String description() {
    return "scontrol";
  }

  @Override
  public List<LiveNode> nodes() {
    return NodeRecords.parse(ask("scontrol", "-a", "-d", "-o", "show", "nodes"));
  }

  @Override
  public List<LiveJob> jobs() {
    return JobRecords.parse(ask("squeue", "--noheader", "--all", "--Format=" + JobRecords.FORMAT));
  }

  /** The settings that slurmctld uses, by name in any case, {@code SLURM_CONF} among them. */
  public Map<String, String> config() {
    return ConfigRecord.parse(ask("scontrol", "show", "config"));
  }

  @Override
  public Optional<String> slurmVersion() {
    return Optional.ofNullable(config().get("SLURM_VERSION"));
  }

  @Override
  public boolean canChangeNodes() {
    return true;
  }

  @Override
  public void drain(String node, String reason) {
    update(node, "drain", "scontrol", "update", name(node), "state=drain", "reason=" + reason);
  }

  @Override
  public void resume(String node) {
    update(node, "resume", "scontrol", "update", name(node), "state=resume");
  }

  private static String name(String node) {
    return "nodename=" + NodeNames.one(node);
  }

  private String ask(String... command) {
    SlurmTool.Result result = tool.run(command);
    if (result.exitCode() != 0) {
      throw new LiveException(command[0] + " says: " + result.said(), WAY_OUT);
    }
    return result.out();
  }

  private void update(String node, String what, String... command) {
    SlurmTool.Result result = tool.run(command);
    if (result.exitCode() != 0) {
      boolean refused = result.said().contains("Invalid user id");
      throw new LiveException(
          "node %s: scontrol cannot %s it: %s".formatted(node, what, result.said()),
          refused ? "only root, SlurmUser and operators may: repeat as one of them" : WAY_OUT);
    }
  }
}
