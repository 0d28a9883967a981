package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.schedgpu.gres.common.GresException;

/** Random files: written back unchanged, or changed only where intended. */
class RandomConfTest {
  private static final List<String> PIECES =
      List.of(
          "NodeName=a1",
          "Gres=gpu:2",
          "CPUs = 4",
          "Reason=\"x y\"",
          "key_.9=\\#v",
          " ",
          "\t",
          "  ",
          "\n",
          "\r\n",
          " \\\n",
          "\\ \t\n",
          " # c \\",
          "#",
          "\\\\",
          "Include x.conf",
          "\u00e9",
          "\"");

  /** Text that may be no valid configuration. */
  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.of(PIECES).list().ofMaxSize(40).map(pieces -> String.join("", pieces));
  }

  /** Lines that Slurm accepts, with everything that it allows around and between their parts. */
  @Provide
  Arbitrary<String> configurations() {
    Arbitrary<String> space = Arbitraries.of(" ", "\t", "  ", " \\\n ", "\\\n\t", " \\  \r\n ");
    Arbitrary<String> key = Arbitraries.of("NodeName", "gres", "CPUs", "A.b_9", "GRES");
    Arbitrary<String> equals = Arbitraries.of("=", " = ", "=\t", "+=");
    Arbitrary<String> value =
        Arbitraries.of("a", "gpu:2", "\"x y\"", "\"\"", "\\#1", "a\\\\b", "\"q\\\\ #", "x\"y")
            .filter(v -> !v.contains(" #"));
    Arbitrary<String> pair =
        Combinators.combine(space, key, equals, value).as((s, k, e, v) -> s + k + e + v);
    Arbitrary<String> pairs = pair.list().ofMaxSize(5).map(list -> String.join("", list));
    Arbitrary<String> end = Arbitraries.of("\n", "\r\n", "  \n", " # x = y\n", "#\\\n", "\t#\"\n");
    Arbitrary<String> last = Arbitraries.of("", "\n", "# no line end", "\n\n\t");
    Arbitrary<String> line = Combinators.combine(pairs, end).as((p, e) -> p + e);
    return Combinators.combine(line.list().ofMaxSize(6), last)
        .as((lines, tail) -> String.join("", lines) + tail);
  }

  @Property
  void logicalLinesPutTogetherAreTheText(@ForAll("texts") String text) {
    assertEquals(
        text, LogicalLine.split(text).stream().map(LogicalLine::raw).collect(Collectors.joining()));
  }

  @Property
  void textIsRefusedOrComesBack(@ForAll("texts") String text) {
    try {
      ConfFile file = Confs.parse(text);
      assertEquals(text, new String(file.bytes(), java.nio.charset.StandardCharsets.UTF_8));
    } catch (GresException e) {
      assertEquals(0, e.getMessage().indexOf("schedgpu gres: /etc/slurm/slurm.conf line "));
    }
  }

  @Property
  void configurationComesBack(@ForAll("configurations") String text) {
    assertEquals(text, Confs.parse(text).text());
  }

  @Property
  void changeOfOneLineLeavesTheOthers(@ForAll("configurations") String text, @ForAll int choice) {
    ConfFile file = Confs.parse(text);
    List<ConfLine> lines = file.lines().stream().filter(l -> !l.pairs().isEmpty()).toList();
    if (lines.isEmpty()) {
      return;
    }
    ConfLine line = lines.get(Math.floorMod(choice, lines.size()));
    int index = file.lines().indexOf(line);
    ConfFile changed = file.edit().set(line, "Gres", "gpu:t:48").result();
    assertEquals("gpu:t:48", changed.lines().get(index).value("gres").orElseThrow());
    assertOthersAreTheSame(file, changed, index);
    assertEquals(others(line), others(changed.lines().get(index)));
    ConfFile back = changed.edit().set(changed.lines().get(index), "Gres", "gpu:t:48").result();
    assertEquals(changed.text(), back.text());
    if (!line.startsWith("Gres")) {
      ConfFile without = file.edit().remove(line, "Gres").result();
      assertEquals(true, without.lines().get(index).pair("Gres").isEmpty());
      assertOthersAreTheSame(file, without, index);
      assertEquals(others(line), others(without.lines().get(index)));
    }
  }

  private static void assertOthersAreTheSame(ConfFile file, ConfFile changed, int index) {
    assertEquals(file.lines().size(), changed.lines().size());
    for (int i = 0; i < file.lines().size(); i++) {
      if (i != index) {
        assertEquals(file.lines().get(i).raw(), changed.lines().get(i).raw());
      }
    }
  }

  private static List<String> others(ConfLine line) {
    return line.pairs().stream()
        .filter(pair -> !pair.hasKey("Gres"))
        .map(pair -> pair.key() + pair.operator() + "=" + pair.value())
        .toList();
  }
}
