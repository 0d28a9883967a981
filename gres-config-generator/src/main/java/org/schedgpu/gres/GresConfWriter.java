package org.schedgpu.gres;

import java.util.List;
import java.util.stream.Collectors;

/**
 * gres.conf: one line for each virtual GPU.
 *
 * <p>Slurm drops a GPU line with a count and no file, refuses a repeated File=, and ends with a
 * fatal error at MultipleFiles= with one file. Lines of MultipleFiles= with the device and the
 * control device are counted one by one, and the device cgroup lets a job open exactly the devices
 * behind its virtual GPUs (Slurm's src/common/gres.c, seen with 22.05).
 */
final class GresConfWriter {
  /** First line of every gres.conf that is ours: what it stands in may be replaced. */
  static final String MARK = "# Written by schedgpu gres.";

  private static final String HEAD =
      MARK
          + """
           A change by hand is lost when it is written again.
          # One line is one virtual GPU; its index is the number of the line on its node, from 0.
          # MultipleFiles, because a File= may not be repeated; two files, because one is fatal.
          # Links: -1 itself, 0 the same device, 1 another device, which Slurm prefers.
          """;

  private GresConfWriter() {}

  static String text(GresPlan plan) {
    StringBuilder text = new StringBuilder(HEAD);
    for (NodePlan node : plan.nodes()) {
      List<VirtualGpu> virtualGpus = node.virtualGpus();
      for (VirtualGpu virtual : virtualGpus) {
        text.append(line(node, virtual, virtualGpus)).append('\n');
      }
    }
    return text.toString();
  }

  private static String line(NodePlan node, VirtualGpu virtual, List<VirtualGpu> all) {
    Device device = virtual.device();
    String line =
        "NodeName=%s Name=gpu Type=%s MultipleFiles=%s,%s"
            .formatted(node.nodeName(), node.gresType(), device.file(), node.controlFileOf(device));
    return node.links() ? line + " Links=" + links(virtual, all) : line;
  }

  private static String links(VirtualGpu virtual, List<VirtualGpu> all) {
    return all.stream().map(other -> link(virtual, other)).collect(Collectors.joining(","));
  }

  /** Never -2: a job of several GPUs then silently gets another number of them. */
  private static String link(VirtualGpu virtual, VirtualGpu other) {
    if (virtual.index() == other.index()) {
      return "-1";
    }
    return virtual.device().equals(other.device()) ? "0" : "1";
  }
}
