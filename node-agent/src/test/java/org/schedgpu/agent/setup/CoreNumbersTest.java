package org.schedgpu.agent.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The orders are those of hwloc 2, which slurmd uses, on the same folders (HWLOC_FSROOT), with the
 * filters of Slurm 22.05.
 */
class CoreNumbersTest {
  @TempDir Path folder;

  /** The first CPUs of the cores, in the order of the cores' numbers. */
  private static String firstCpus(CoreNumbers numbers) {
    int[] firsts = new int[numbers.cpus()];
    java.util.Arrays.fill(firsts, -1);
    for (int cpu = numbers.cpus() - 1; cpu >= 0; cpu--) {
      firsts[Integer.parseInt(numbers.of(CpuList.parse("" + cpu)).orElseThrow())] = cpu;
    }
    return IntStream.of(firsts)
        .filter(cpu -> cpu >= 0)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }

  private CoreNumbers read(
      List<String> sockets, List<String> nodes, List<String> caches, List<String> cores)
      throws IOException {
    return CoreNumbers.read(new CpuFolder(folder).write(sockets, nodes, caches, cores))
        .orElseThrow();
  }

  private static List<String> pairs(int cores) {
    return IntStream.range(0, cores).mapToObj(i -> i + "," + (i + cores)).toList();
  }

  private static List<String> singles(int cores) {
    return IntStream.range(0, cores).mapToObj(Integer::toString).toList();
  }

  @Test
  void theThreadsOfACoreHaveOneNumber() throws IOException {
    List<String> all = List.of("0-7");
    CoreNumbers numbers = read(all, all, all, pairs(4));
    assertEquals(8, numbers.cpus());
    assertEquals(Optional.of("1-2"), numbers.of(CpuList.parse("1-2,5-6")));
    assertEquals(Optional.of("0,3"), numbers.of(CpuList.parse("3,4")));
  }

  @Test
  void coresAreCountedSocketBySocket() throws IOException {
    List<String> sockets = List.of("0,2,4,6,8,10,12,14", "1,3,5,7,9,11,13,15");
    CoreNumbers numbers = read(sockets, List.of("0-15"), pairs(8), pairs(8));
    assertEquals("0 2 4 6 1 3 5 7", firstCpus(numbers));
    assertEquals(Optional.of("4-7"), numbers.of(CpuList.parse("1,3,5,7,9,11,13,15")));
  }

  @Test
  void withinASocketNodeByNode() throws IOException {
    List<String> all = List.of("0-23");
    List<String> nodes =
        List.of("0-1,4-5,8-9,12-13,16-17,20-21", "2-3,6-7,10-11,14-15,18-19,22-23");
    assertEquals("0 1 4 5 8 9 2 3 6 7 10 11", firstCpus(read(all, nodes, all, pairs(12))));
  }

  @Test
  void withinANodeCacheByCache() throws IOException {
    List<String> nodes = List.of("0-3", "4-7", "8-11", "12-15");
    List<String> caches = List.of("0,2", "4,6", "8,10", "12,14", "1,3", "5,7", "9,11", "13,15");
    assertEquals(
        "0 2 1 3 4 6 5 7 8 10 9 11 12 14 13 15",
        firstCpus(read(List.of("0-7", "8-15"), nodes, caches, singles(16))));
  }

  @Test
  void withinASocketDieByDie() throws IOException {
    List<String> all = List.of("0-3");
    new CpuFolder(folder).write(all, all, singles(4), singles(4));
    for (int cpu = 0; cpu < 4; cpu++) {
      Files.writeString(
          folder.resolve("cpu/cpu" + cpu + "/topology/die_cpus_list"),
          cpu % 2 == 0 ? "0,2" : "1,3");
    }
    assertEquals("0 2 1 3", firstCpus(CoreNumbers.read(folder).orElseThrow()));
  }

  @Test
  void coresThatDifferHaveNoNumbers() throws IOException {
    List<String> all = List.of("0-5");
    new CpuFolder(folder).write(all, all, all, List.of("0-1", "2-3", "4", "5"));
    assertEquals(Optional.empty(), CoreNumbers.read(folder));
  }

  @Test
  void cpusWithAGapHaveNoNumbers() throws IOException {
    List<String> all = List.of("0-5");
    new CpuFolder(folder).write(all, all, all, List.of("0", "1", "3"));
    assertEquals(Optional.empty(), CoreNumbers.read(folder));
  }

  @Test
  void aCpuThatIsOfflineIsNoneOfACore() throws IOException {
    List<String> all = List.of("0-3");
    new CpuFolder(folder).write(all, all, all, singles(3));
    Files.createDirectories(folder.resolve("cpu/cpu3/topology"));
    CoreNumbers numbers = CoreNumbers.read(folder).orElseThrow();
    assertEquals(3, numbers.cpus());
    assertEquals(Optional.empty(), numbers.of(CpuList.parse("3")));
    assertEquals(Optional.of("2"), numbers.of(CpuList.parse("2-3")));
  }

  @Test
  void whereLinuxDoesNotTellThereAreNoNumbers() {
    assertEquals(Optional.empty(), CoreNumbers.read(folder));
    assertEquals(Optional.empty(), CoreNumbers.read(folder.resolve("none")));
  }

  @Test
  void listsAreReadAndWritten() {
    for (String text : List.of("", "0", "0-7", "0-7,16-23,31")) {
      assertEquals(text, CpuList.text(CpuList.parse(text)));
    }
    assertEquals("0-3", CpuList.text(CpuList.parse("2-3,0,1")));
    for (String text : List.of("x", "3-1", "1,", "-1")) {
      assertThrows(NumberFormatException.class, () -> CpuList.parse(text), text);
    }
    assertFalse(CpuList.parse("0-7").get(8));
  }
}
