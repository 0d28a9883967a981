package org.schedgpu.gres.live;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads {@code BOOT_TIME} of slurmctld's configuration, and {@code SlurmdStartTime} of each node.
 */
public final class ScontrolStartTimes implements StartTimes.Source {
  private static final Pattern BOOT = Pattern.compile("(?m)^BOOT_TIME\\s*=\\s*(\\S+)");
  private static final Pattern NODE = Pattern.compile("^NodeName=(\\S+).*? SlurmdStartTime=(\\S+)");
  private static final String WAY_OUT =
      "see that slurmctld runs and that SLURM_CONF is the cluster's: scontrol ping";

  private final SlurmTool tool;

  /**
   * @param environment provides PATH and SLURM_CONF
   */
  public ScontrolStartTimes(Map<String, String> environment) {
    tool = new SlurmTool(environment, Duration.ofSeconds(Controller.LIMIT_SECONDS));
  }

  @Override
  public StartTimes now() {
    Matcher boot = BOOT.matcher(ask("scontrol", "show", "config"));
    if (!boot.find()) {
      throw new LiveException("scontrol show config prints no BOOT_TIME", WAY_OUT);
    }
    return new StartTimes(boot.group(1), slurmds(ask("scontrol", "-a", "-o", "show", "nodes")));
  }

  /**
   * The start times of slurmd by node. Slurm prints {@code None} for a node that has not yet
   * registered.
   */
  static Map<String, String> slurmds(String output) {
    Map<String, String> starts = new HashMap<>();
    for (String line : output.lines().toList()) {
      Matcher node = NODE.matcher(line);
      if (node.find() && !node.group(2).equals("None")) {
        starts.put(node.group(1), node.group(2));
      }
    }
    return starts;
  }

  private String ask(String... command) {
    SlurmTool.Result result = tool.run(command);
    if (result.exitCode() != 0) {
      throw new LiveException(command[0] + " says: " + result.said(), WAY_OUT);
    }
    return result.out();
  }
}
