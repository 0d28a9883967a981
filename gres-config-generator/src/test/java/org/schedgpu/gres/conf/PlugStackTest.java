package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** plugstack.conf has a syntax of its own. */
class PlugStackTest {
  @TempDir Path folder;

  private PlugStack read(String text) {
    return PlugStack.read(Confs.write(folder, "plugstack.conf", text));
  }

  private String error(String text) {
    return Confs.error(folder, () -> read(text));
  }

  private static List<String> names(PlugStack stack) {
    return stack.plugins().stream().map(line -> line.plugin().orElseThrow()).toList();
  }

  @Test
  void pluginsWithTheirArguments() {
    PlugStack stack = read("# x\n\nrequired /usr/lib/a.so  x=1\ty=2 # z\noptional b.so\n");
    assertEquals(List.of("/usr/lib/a.so", "b.so"), names(stack));
    assertEquals(List.of("x=1", "y=2"), stack.plugins().get(0).arguments());
    assertTrue(stack.plugins().get(0).required());
    assertFalse(stack.plugins().get(1).required());
    assertEquals(4, stack.plugins().get(1).place().line());
  }

  @Test
  void includesArePatternsInTheirFolderInTheOrderOfNames() {
    Confs.write(folder, "plugstack.conf.d/20.conf", "required c.so\n");
    Confs.write(folder, "plugstack.conf.d/10.conf", "required b.so\ninclude sub/?.conf\n");
    Confs.write(folder, "plugstack.conf.d/sub/x.conf", "required x.so\n");
    Confs.write(folder, "plugstack.conf.d/.hidden.conf", "required no.so\n");
    PlugStack stack =
        read("required a.so\ninclude plugstack.conf.d/*.conf\ninclude no/*\nrequired d.so\n");
    assertEquals(List.of("a.so", "b.so", "x.so", "c.so", "d.so"), names(stack));
    assertEquals(4, stack.files().size());
  }

  @Test
  void patternsAreThoseOfGlob() {
    for (String name : List.of("a1.conf", "a2.conf", "b1.conf", "a{1}.conf")) {
      Confs.write(folder, "d/" + name, "");
    }
    assertEquals("a1.conf a2.conf", found("d/a[0-9].conf"));
    assertEquals("b1.conf", found("d/[!a]*"));
    assertEquals("a{1}.conf", found("*/a{?}.conf"));
    assertEquals("a1.conf", found(folder + "/d/a1.conf"));
    assertEquals("", found("d/c*"));
  }

  private String found(String pattern) {
    return String.join(
        " ", Glob.find(folder, pattern).stream().map(p -> p.getFileName().toString()).toList());
  }

  @Test
  void missingFileIsAnEmptyOne() {
    assertEquals(List.of(), PlugStack.read(folder.resolve("none.conf")).plugins());
  }

  @Test
  void bytesComeBackAsTheyWere() throws IOException {
    byte[] bytes = {
      '#', (byte) 0xe9, '\n', '\t', '\n', 'o', 'p', 't', 'i', 'o', 'n', 'a', 'l', ' ', 'x'
    };
    Path file = Files.write(folder.resolve("plugstack.conf"), bytes);
    assertArrayEquals(bytes, PlugStack.read(file).files().get(0).bytes());
  }

  @Test
  void whatSlurmIgnoresOrMisreadsIsReported() {
    assertEquals(
        "plugstack.conf line 1, 'Required' is none of required, optional, include: correct the word"
            + " (in small letters); Slurm ignores the line",
        error("Required a.so\n"));
    assertEquals(
        "plugstack.conf line 2, nothing follows 'include': name the plugin or the files",
        error("\ninclude # x\n"));
    assertEquals(
        "plugstack.conf line 1, the line ends in a carriage return, which Slurm takes for a part of"
            + " the last word: save the file with UNIX line ends",
        error("required a.so\r\n"));
    assertEquals(
        "plugstack.conf line 1, the line has 5001 bytes, Slurm reads 4095: shorten it",
        error("#" + "x".repeat(4999) + "\n"));
    Confs.write(folder, "a.conf", "include plugstack.con?\n");
    assertEquals(
        "a.conf line 1, plugstack.conf is included by itself: [plugstack.conf, a.conf]: take one"
            + " include out",
        error("include a.conf\n"));
  }
}
