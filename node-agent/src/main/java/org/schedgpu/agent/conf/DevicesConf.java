package org.schedgpu.agent.conf;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.ConfText;
import org.schedgpu.jna.DeviceSpec;

/** devices.conf: the devices of one node. */
public final class DevicesConf {
  private DevicesConf() {}

  /**
   * The devices of {@code node}, by index; none if the file does not name the node.
   *
   * @throws AgentException with every problem of the file, one in a line
   */
  public static List<DeviceSpec> read(Path file, String node) {
    try {
      return ConfText.devices(file.toString(), Texts.bytes(file), node).stream()
          .sorted(Comparator.comparingInt(DeviceSpec::index))
          .toList();
    } catch (ConfText.WrongConfException problems) {
      throw new AgentException(problems.getMessage(), problems);
    }
  }
}
