package org.schedgpu.agent.setup;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.conf.DevicesConf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.DeviceSpec;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.Setup;

/**
 * The settings for the region of this node, from schedgpu.conf and the node's devices.
 *
 * @param source where the devices come from, as text
 */
public record RegionSetup(Setup setup, String source) {

  /**
   * The devices of devices.conf, else those of NVML.
   *
   * @param devicesFile a file that must name the node; empty: the one of schedgpu.conf, if it does
   * @param contextBytes of a process's CUDA context on devices that NVML describes
   */
  public static RegionSetup of(
      Conf conf, Optional<Path> devicesFile, String node, long contextBytes) {
    Path file = devicesFile.orElse(conf.devicesFile());
    if (devicesFile.isPresent() || Files.exists(file)) {
      List<DeviceSpec> devices = DevicesConf.read(file, node);
      if (!devices.isEmpty()) {
        return new RegionSetup(setup(conf, devices), file.toString());
      }
      if (devicesFile.isPresent()) {
        throw new AgentException(
            file + ": no device of node " + node + ": write it with schedgpu gres plan");
      }
    }
    List<DeviceSpec> devices =
        NodeFactsReader.deviceSpecs(NodeFactsReader.read(node, Path.of("/dev"), contextBytes));
    return new RegionSetup(setup(conf, devices), "NVML");
  }

  /** The same with each device changed by a function. */
  RegionSetup with(UnaryOperator<DeviceSpec> change) {
    Setup changed =
        new Setup(
            setup.policy(),
            setup.overtakeLimit(),
            setup.deadlockRule(),
            setup.groupId(),
            setup.graceNs(),
            setup.quantumNs(),
            setup.devices().stream().map(change).toList());
    return new RegionSetup(changed, source);
  }

  static Setup setup(Conf conf, List<DeviceSpec> devices) {
    return new Setup(
        conf.policy(),
        conf.overtakeLimit(),
        conf.deadlockRule(),
        users(conf),
        conf.graceNs(),
        conf.laneQuantumNs(),
        devices.stream().map(device -> withMargin(conf, device)).toList());
  }

  private static DeviceSpec withMargin(Conf conf, DeviceSpec device) {
    return new DeviceSpec(
        device.index(),
        device.totalBytes(),
        Math.min(
            device.totalBytes(),
            device.reservedBytes() + conf.safetyMarginBytes(device.totalBytes())),
        device.contextBytes(),
        device.uuid(),
        device.name());
  }

  private static int users(Conf conf) {
    return conf.brokered()
        ? Setup.NOBODY
        : conf.regionGroup().map(RegionSetup::groupId).orElse(Setup.EVERYONE);
  }

  private static int groupId(String group) {
    return groupId(group, Posix.groupId(group));
  }

  /**
   * The number of the group. A negative number is refused, because it would mean {@link
   * Setup#EVERYONE}, or nobody.
   */
  static int groupId(String group, OptionalInt found) {
    int id =
        found.orElseThrow(
            () ->
                new AgentException(
                    "RegionGroup="
                        + group
                        + ": there is no such group: create it or name another"));
    if (id < 0) {
      throw new AgentException(
          "RegionGroup=%s: its number %s is above %d: take another group"
              .formatted(group, Integer.toUnsignedString(id), Integer.MAX_VALUE));
    }
    return id;
  }
}
