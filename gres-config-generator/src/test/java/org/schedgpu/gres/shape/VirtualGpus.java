package org.schedgpu.gres.shape;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.conf.Hostlist;

/** The device files behind the indexes of a node's virtual GPUs, as devices.conf has them. */
final class VirtualGpus {
  private static final Pattern LINE =
      Pattern.compile("NodeName=(\\S+) .*File=(\\S+) .*Virtual=(\\S+) .*");

  private final Map<String, String> fileByIndex = new HashMap<>();

  private VirtualGpus() {}

  static VirtualGpus of(Path devicesConf) throws IOException {
    VirtualGpus all = new VirtualGpus();
    for (String line : Files.readAllLines(devicesConf)) {
      Matcher device = LINE.matcher(line);
      if (device.matches()) {
        for (String index : Hostlist.expand("[" + device.group(3) + "]")) {
          all.fileByIndex.put(device.group(1) + " " + index, device.group(2));
        }
      }
    }
    return all;
  }

  /** A job with this index can open the device that devices.conf names. */
  void requireAgrees(String node, int index, Path folder, List<String> devices) {
    String file = fileByIndex.get(node + " " + index);
    if (file != null) {
      String name = folder.relativize(Path.of(file)).toString();
      assertTrue(
          devices.contains(name),
          () ->
              "devices.conf has %s for index %d of %s, it is %s"
                  .formatted(name, index, node, devices));
    }
  }
}
