package org.schedgpu.gres.files;

import java.util.Optional;
import java.util.stream.Collectors;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.NodePlan;
import org.schedgpu.gres.site.SlurmConfSettings;

/** Writes the lines for slurm.conf, between two markers, so that they can be found and replaced. */
final class SlurmConfWriter {
  static final String BEGIN = "# BEGIN schedgpu";
  static final String END = "# END schedgpu";

  private static final String HINTS =
      """
      # Needed beside these lines, for the whole cluster:
      #TaskPlugin=task/cgroup,task/affinity
      #ProctrackType=proctrack/cgroup
      #SelectType=select/cons_tres
      # and in cgroup.conf, so that a job opens its own devices only:
      #ConstrainDevices=yes
      """;

  private SlurmConfWriter() {}

  static String text(GresPlan plan) {
    SlurmConfSettings settings = plan.settings();
    StringBuilder text = new StringBuilder(BEGIN).append('\n');
    String types = gresTypes(plan);
    text.append(
        "# If slurm.conf has GresTypes= already, add %s to its list instead.\n".formatted(types));
    text.append("GresTypes=%s\n".formatted(types));
    appendNodes(text, plan);
    appendPath(text, "PlugStackConfig", settings.plugStackConfig(), "plugstack.conf");
    appendPath(text, "Prolog", settings.prolog(), "schedGPU's prolog");
    appendPath(text, "Epilog", settings.epilog(), "schedGPU's epilog");
    text.append("# Larger than HookTimeout of schedgpu.conf: Slurm drains the node at it.\n");
    text.append("PrologEpilogTimeout=%d\n".formatted(settings.prologEpilogTimeoutSeconds()));
    return text.append(HINTS).append(END).append('\n').toString();
  }

  private static String gresTypes(GresPlan plan) {
    return plan.nodes().stream()
        .flatMap(node -> node.gresNames().stream())
        .distinct()
        .collect(Collectors.joining(","));
  }

  private static void appendNodes(StringBuilder text, GresPlan plan) {
    if (plan.settings().nodeParameters().size() < plan.nodes().size()) {
      text.append(
          "# A node is defined once, a second line is fatal: put Gres= into the one it has"
              + " already.\n");
    }
    for (NodePlan node : plan.nodes()) {
      text.append("NodeName=").append(node.nodeName());
      String parameters = plan.settings().nodeParameters().get(node.nodeName());
      if (parameters != null) {
        text.append(' ').append(parameters.strip());
      }
      text.append(" Gres=").append(node.gres()).append('\n');
    }
  }

  private static void appendPath(
      StringBuilder text, String key, Optional<String> path, String what) {
    text.append(
        path.map(p -> key + "=" + p + "\n").orElse("#" + key + "=<path of " + what + ">\n"));
  }
}
