package org.schedgpu.agent.conf;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.ConfText;
import org.schedgpu.jna.DeviceSpec;

/** devices.conf: the devices of one node. */
public final class DevicesConf {
  private static final Pattern PAIR = Pattern.compile("(\\w+)=(\"[^\"]*\"|\\S+)");

  private DevicesConf() {}

  /**
   * The device files of {@code node} by UUID; without those that the file does not name plainly.
   */
  public static Map<String, String> files(Path file, String node) {
    Map<String, String> files = new HashMap<>();
    for (String line : Texts.lines(file)) {
      Map<String, String> pairs = new HashMap<>();
      PAIR.matcher(line.replaceFirst("^\\s*#.*", ""))
          .results()
          .forEach(pair -> pairs.put(pair.group(1), pair.group(2)));
      if (node.equals(pairs.get("NodeName")) && pairs.containsKey("File")) {
        files.put(pairs.getOrDefault("UUID", ""), pairs.get("File"));
      }
    }
    return files;
  }

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
