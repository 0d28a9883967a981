package org.schedgpu.gres;

/** devices.conf, as docs/reference/files-and-environment.md has it: one line for each device. */
final class DevicesConfWriter {
  private DevicesConfWriter() {}

  static String text(GresPlan plan) {
    StringBuilder text = new StringBuilder();
    for (NodePlan node : plan.nodes()) {
      for (Device device : node.devices()) {
        text.append(line(node, device)).append('\n');
      }
    }
    return text.toString();
  }

  private static String line(NodePlan node, Device device) {
    return "NodeName=%s Device=%d UUID=%s File=%s TotalBytes=%d ReservedBytes=%d ContextBytes=%d"
            .formatted(
                node.nodeName(),
                device.index(),
                device.uuid(),
                device.file(),
                device.totalBytes(),
                device.reservedBytes(),
                device.contextBytes())
        + " Virtual="
        + IndexList.format(node.virtualIndexesOf(device))
        + " Name="
        + quotedIfBlank(device.name());
  }

  private static String quotedIfBlank(String name) {
    return name.chars().anyMatch(Character::isWhitespace) ? '"' + name + '"' : name;
  }
}
