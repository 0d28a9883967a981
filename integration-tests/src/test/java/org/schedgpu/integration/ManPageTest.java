package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The man page of the options has a heading for each of them. */
class ManPageTest {
  private static final Pattern SHORT = Pattern.compile("(?m)^\\.RB \\[ (\\\\-\\\\-[a-z\\\\-]+)");
  private static final Pattern HEADING =
      Pattern.compile("(?m)^\\.TP\n\\.B[IR]? (\\\\-\\\\-[a-z\\\\-]+)");

  @Test
  void everyOptionOfTheSynopsisHasItsHeading() throws IOException {
    String page = Files.readString(Build.root().resolve("spank-plugin-c/schedgpu-options.7"));
    Set<String> options = names(SHORT, page);
    assertTrue(options.contains("--schedgpu-distinct"), options.toString());
    assertEquals(options, names(HEADING, page));
  }

  private static Set<String> names(Pattern pattern, String page) {
    Set<String> names = new TreeSet<>();
    for (Matcher name = pattern.matcher(page); name.find(); ) {
      names.add(name.group(1).replace("\\", ""));
    }
    return names;
  }
}
