package org.schedgpu.agent.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A {@code /sys/devices/system} of a made-up machine. */
final class CpuFolder {
  private final Path folder;

  CpuFolder(Path folder) {
    this.folder = folder;
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text + "\n");
  }

  private static String listWith(int cpu, List<String> lists) {
    return lists.stream().filter(list -> CpuList.parse(list).get(cpu)).findFirst().orElseThrow();
  }

  /** Each list is the CPUs of one; the cores have all that are online. */
  Path write(List<String> sockets, List<String> nodes, List<String> caches, List<String> cores)
      throws IOException {
    for (String core : cores) {
      for (int cpu : CpuList.parse(core).stream().toArray()) {
        Path own = folder.resolve("cpu/cpu" + cpu);
        write(own.resolve("topology/core_siblings_list"), listWith(cpu, sockets));
        write(own.resolve("topology/thread_siblings_list"), core);
        write(own.resolve("cache/index3/shared_cpu_list"), listWith(cpu, caches));
      }
    }
    for (int i = 0; i < nodes.size(); i++) {
      write(folder.resolve("node/node" + i + "/cpulist"), nodes.get(i));
    }
    write(folder.resolve("cpu/cpufreq/boost"), "1");
    return folder;
  }
}
