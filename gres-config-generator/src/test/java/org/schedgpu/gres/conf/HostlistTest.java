package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Names and their short form. */
class HostlistTest {
  private static String expand(String text) {
    return String.join(" ", Hostlist.expand(text));
  }

  @Test
  void namesRangesAndWidths() {
    assertEquals("a b1", expand("a,b1"));
    assertEquals("n09 n10 n20", expand("n[09-10,20]"));
    assertEquals("n9 n10", expand("n[9-10]"));
    assertEquals("n099 n100", expand("n[099-0100]"));
    assertEquals("a1 b2 c", expand("a1, b[2]\tc"));
    assertEquals("", expand(""));
    assertEquals(
        "/dev/nvidia0 /dev/nvidia1 /dev/nvidiactl", expand("/dev/nvidia[0-1],/dev/nvidiactl"));
  }

  @Test
  void severalBracketsInSlurmsOrder() {
    assertEquals(
        "a1b3c5 a1b3c6 a2b3c5 a2b3c6 a1b4c5 a1b4c6 a2b4c5 a2b4c6", expand("a[1-2]b[3-4]c[5-6]"));
    List<String> nodes = Hostlist.expand("gpu[01-16,20]-ib[0-1]");
    assertEquals(34, nodes.size());
    assertEquals("gpu20-ib1", nodes.get(33));
  }

  @Test
  void whatSlurmRefusesIsReported() {
    assertEquals(
        "hostlist 'a[1-2]x' continues after its last bracket, which Slurm refuses: name the hosts"
            + " one by one, or end each name in its number",
        Confs.error(() -> expand("a[1-2]x")));
    String brackets = "has brackets that do not match: close each '[' with a ']'";
    assertEquals("hostlist 'a[1' " + brackets, Confs.error(() -> expand("a[1")));
    assertEquals("hostlist 'a]' " + brackets, Confs.error(() -> expand("a]")));
    assertEquals("hostlist 'a[[1]]' " + brackets, Confs.error(() -> expand("a[[1]]")));
    for (String wrong : List.of("a[]", "a[x]", "a[1,]", "a[-1]", "a[1-]", "a[1-2-3]", "a[0x1]")) {
      String message = Confs.error(() -> expand(wrong));
      assertEquals(
          "where a number belongs: write numbers and ranges in brackets, such as [01-16,20]",
          message.substring(message.indexOf("where")));
    }
    assertEquals(
        "hostlist 'a[2-1]' has the range 2-1: write the smaller number first",
        Confs.error(() -> expand("a[2-1]")));
    assertEquals(
        "hostlist 'a[0-65536]' has more than 65536 hosts in one range: use several ranges",
        Confs.error(() -> expand("a[0-65536]")));
    assertEquals(
        "hostlist 'a[0-65535]b[0-1]c[1]' is more than 65536 prefixes: use several words",
        Confs.error(() -> expand("a[0-65535]b[0-1]c[1]")));
  }

  @Test
  void shortFormJoinsNeighbours() {
    assertEquals("n[1-2,4]", Hostlist.compress(List.of("n1", "n2", "n4")));
    assertEquals(
        "n[9-11,010,1,1]", Hostlist.compress(List.of("n9", "n10", "n11", "n010", "n1", "n1")));
    assertEquals("a,b7,c-1x", Hostlist.compress(List.of("a", "b7", "c-1x")));
    assertEquals("", Hostlist.compress(List.of()));
    String huge = "n" + "9".repeat(40);
    assertEquals(huge, Hostlist.compress(List.of(huge)));
  }

  @Test
  void tenThousandNodesComeBackAsTheyWere() {
    List<String> nodes = Hostlist.expand("gpu[0000-9999]");
    assertEquals(10_000, nodes.size());
    assertEquals("gpu[0000-9999]", Hostlist.compress(nodes));
  }
}
