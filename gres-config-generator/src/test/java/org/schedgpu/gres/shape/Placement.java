package org.schedgpu.gres.shape;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.schedgpu.gres.conf.Hostlist;

/**
 * The parts of a shape's texts that differ on this host: names of nodes, because other clusters use
 * the same ones; addresses and ports, because all slurmds are on one host; the folder of the
 * devices.
 */
final class Placement {
  private static final Pattern NODE = Pattern.compile("\\btux(?=[\\[0-9])");
  private static final Pattern DEVICE = Pattern.compile("/dev/(?=nvidia|mlx)");
  private static final Pattern DEVICE_NAME =
      Pattern.compile("/dev/((?:nvidia|mlx)[A-Za-z0-9/_-]*(?:\\[[0-9,-]+\\])?)");
  private static final Pattern ADDRESS =
      Pattern.compile("(?i)(\\bNodeAddr *= *)10\\.0\\.0\\.(\\[[0-9,-]+\\]|[0-9]+)");
  private static final Pattern PORT =
      Pattern.compile("(?i)(\\bPort *= *)\\[?([78][0-9]{3}[0-9,-]*)\\]?");
  private static final int FIRST_PORT = 7000;

  private final String nodePrefix;
  private final Path etc;
  private final Path devices;
  private final IntUnaryOperator portOfNumber;

  /**
   * @param nodePrefix replaces {@code tux}
   * @param etc replaces {@code /etc/slurm}
   * @param devices replaces {@code /dev}
   * @param portOfNumber the port of the node whose name ends in a number
   */
  Placement(String nodePrefix, Path etc, Path devices, IntUnaryOperator portOfNumber) {
    this.nodePrefix = nodePrefix;
    this.etc = etc;
    this.devices = devices;
    this.portOfNumber = portOfNumber;
  }

  /** The names of the devices that a text names, below /dev. */
  static List<String> devicesIn(String text) {
    return DEVICE_NAME
        .matcher(text)
        .results()
        .flatMap(found -> Hostlist.expand(found.group(1)).stream())
        .distinct()
        .toList();
  }

  /** A node's name here. */
  String node(String name) {
    return NODE.matcher(name).replaceAll(nodePrefix);
  }

  /** A text, line by line, with its line ends. */
  String text(String text) {
    return text.lines().count() == 0
        ? text
        : Pattern.compile("[^\n]*\n?")
            .matcher(text)
            .results()
            .map(line -> line(line.group()))
            .collect(Collectors.joining());
  }

  private String line(String line) {
    String placed = NODE.matcher(line).replaceAll(nodePrefix);
    placed = DEVICE.matcher(placed).replaceAll(Matcher.quoteReplacement(devices + "/"));
    placed = placed.replace("/etc/slurm/", etc + "/");
    boolean hasPort = PORT.matcher(placed).find();
    placed =
        PORT.matcher(placed).replaceAll(port -> port.group(1) + ports(port.group(2), FIRST_PORT));
    return ADDRESS
        .matcher(placed)
        .replaceAll(
            address ->
                address.group(1)
                    + "127.0.0.1"
                    + (hasPort
                        ? ""
                        : " Port=" + ports(address.group(2).replaceAll("[\\[\\]]", ""), 0)));
  }

  private String ports(String list, int zero) {
    List<String> ports = new ArrayList<>();
    for (String number : Hostlist.expand("[" + list + "]")) {
      ports.add(Integer.toString(portOfNumber.applyAsInt(Integer.parseInt(number) - zero)));
    }
    return ports.size() == 1 ? ports.get(0) : "[" + String.join(",", ports) + "]";
  }
}
