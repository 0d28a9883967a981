package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Test JVMs run side by side, and a port is free until its daemon listens there. */
final class FreePortsTest {
  private static final int FIRST = 9_100;
  private static final int LAST = 9_129;
  private static final int COUNT = 10;

  /** Takes ports, prints them, and has them as long as its standard input lasts. */
  static final class Taker {
    public static void main(String[] words) throws IOException {
      System.out.println(FreePorts.take(COUNT, FIRST, LAST));
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static Process start() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Taker.class.getName())
        .redirectError(Redirect.INHERIT)
        .start();
  }

  @Test
  void noOtherJvmHasThem() throws IOException, InterruptedException {
    Process other = start();
    try (BufferedReader lines = other.inputReader(StandardCharsets.UTF_8)) {
      String theirs = lines.readLine();
      List<Integer> ours = FreePorts.take(COUNT, FIRST, LAST);
      FreePorts.giveBack(ours);
      List<String> all = new ArrayList<>(ours.stream().map(String::valueOf).toList());
      all.addAll(List.of(theirs.substring(1, theirs.length() - 1).split(", ")));
      assertEquals(2 * COUNT, new TreeSet<>(all).size(), all::toString);
    } finally {
      other.destroyForcibly().waitFor();
    }
  }
}
