package org.schedgpu.agent.setup;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Slurm's numbers of this node's cores. Slurm counts cores as hwloc does ({@code Core L#} of {@code
 * lstopo -l}): socket by socket, within a socket NUMA node by NUMA node and cache by cache, each by
 * its first CPU. The threads of a core have one number. Immutable.
 */
final class CoreNumbers {
  private static final Path SYSTEM = Path.of("/sys/devices/system");

  /**
   * The files in a CPU's folder that name the larger parts to which it belongs. A kernel may lack
   * some.
   */
  private static final List<String> GROUPS =
      List.of("topology/core_siblings_list", "topology/die_cpus_list");

  private static final String CORE = "topology/thread_siblings_list";

  private final SortedMap<Integer, Integer> coreOfCpu;

  private CoreNumbers(SortedMap<Integer, Integer> coreOfCpu) {
    this.coreOfCpu = coreOfCpu;
  }

  /** The numbers of this machine; empty if Slurm's numbers cannot be derived. */
  static Optional<CoreNumbers> read() {
    return read(SYSTEM);
  }

  /**
   * @param system {@code /sys/devices/system}
   */
  static Optional<CoreNumbers> read(Path system) {
    try {
      SortedMap<Integer, BitSet> cores = new TreeMap<>();
      Map<Integer, List<Integer>> places = new TreeMap<>();
      List<BitSet> nodes = lists(system.resolve("node"), "node[0-9]*", "cpulist");
      for (Path folder : folders(system.resolve("cpu"), "cpu[0-9]*")) {
        int cpu = Integer.parseInt(folder.getFileName().toString().substring("cpu".length()));
        Optional<BitSet> core = list(folder.resolve(CORE));
        if (core.isPresent()) { // else it is offline
          cores.put(cpu, core.get());
          places.put(cpu, place(folder, core.get(), nodes));
        }
      }
      return isRegular(cores) ? Optional.of(number(cores, places)) : Optional.empty();
    } catch (IOException | NumberFormatException unknown) {
      return Optional.empty();
    }
  }

  /**
   * Slurm leaves out irregular parts: cores with fewer threads, CPUs beyond a gap. Its numbers
   * would then be a guess.
   */
  private static boolean isRegular(SortedMap<Integer, BitSet> cores) {
    return !cores.isEmpty()
        && cores.lastKey() == cores.size() - 1
        && cores.values().stream().mapToInt(BitSet::cardinality).distinct().count() == 1;
  }

  /**
   * The first CPU of each part that contains a core, from the largest part to the core itself: the
   * sort key of cores.
   */
  private static List<Integer> place(Path folder, BitSet core, List<BitSet> nodes)
      throws IOException {
    List<BitSet> sets = new ArrayList<>(List.of(core));
    for (String group : GROUPS) {
      list(folder.resolve(group)).ifPresent(sets::add);
    }
    sets.addAll(lists(folder.resolve("cache"), "index3", "shared_cpu_list"));
    nodes.stream().filter(node -> node.intersects(core)).forEach(sets::add);
    sets.sort(Comparator.comparingInt(BitSet::cardinality).reversed());
    return sets.stream().map(set -> set.nextSetBit(0)).toList();
  }

  private static CoreNumbers number(
      SortedMap<Integer, BitSet> cores, Map<Integer, List<Integer>> places) {
    TreeSet<Integer> sorted =
        new TreeSet<>(Comparator.comparing(places::get, CoreNumbers::compareLists));
    cores.values().forEach(core -> sorted.add(core.nextSetBit(0)));
    SortedMap<Integer, Integer> numbers = new TreeMap<>();
    for (int first : sorted) {
      int number = sorted.headSet(first).size();
      cores.get(first).stream().forEach(cpu -> numbers.put(cpu, number));
    }
    return new CoreNumbers(numbers);
  }

  private static int compareLists(List<Integer> a, List<Integer> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      if (!a.get(i).equals(b.get(i))) {
        return a.get(i) - b.get(i);
      }
    }
    return a.size() - b.size();
  }

  private static List<Path> folders(Path parent, String pattern) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(parent)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, pattern)) {
        all.forEach(found::add);
      }
    }
    return found;
  }

  private static List<BitSet> lists(Path parent, String pattern, String file) throws IOException {
    List<BitSet> lists = new ArrayList<>();
    for (Path folder : folders(parent, pattern)) {
      list(folder.resolve(file)).ifPresent(lists::add);
    }
    return lists;
  }

  private static Optional<BitSet> list(Path file) throws IOException {
    return Files.exists(file)
        ? Optional.of(CpuList.parse(Files.readString(file).strip())).filter(set -> !set.isEmpty())
        : Optional.empty();
  }

  /** CPUs are numbered from 0 to this number minus 1. */
  int cpus() {
    return coreOfCpu.size();
  }

  /** The cores of these CPUs as {@code Cores=} has them; empty if there are none. */
  Optional<String> of(BitSet cpus) {
    BitSet cores = new BitSet();
    coreOfCpu.forEach(
        (cpu, core) -> {
          if (cpus.get(cpu)) {
            cores.set(core);
          }
        });
    return cores.isEmpty() ? Optional.empty() : Optional.of(CpuList.text(cores));
  }
}
