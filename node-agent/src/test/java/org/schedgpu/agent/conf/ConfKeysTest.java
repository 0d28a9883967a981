package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * One file serves hooks, plugin and agent: a key that one of them refuses stops the node's jobs.
 */
class ConfKeysTest {
  private static final Path IN_C = Path.of("../libschedgpu/conf/conf_schedgpu.c");
  private static final Path REFERENCE = Path.of("../docs/reference/files-and-environment.md");

  private static Set<String> words(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult result) -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void hooksAndPluginKnowTheSameKeys() throws IOException {
    String source = Files.readString(IN_C);
    int start = source.indexOf("struct sg_conf_key keys[]");
    assertTrue(start > 0);
    String table = source.substring(start, source.indexOf("};", start));
    assertEquals(new TreeSet<>(ConfKey.names()), words(table, "\\{\"([A-Za-z]+)\","));
  }

  @Test
  void theReferenceDescribesEveryKey() throws IOException {
    Set<String> described = words(Files.readString(REFERENCE), "(?m)^\\| `([A-Za-z]+)` \\|");
    Set<String> missing = new TreeSet<>(ConfKey.names());
    missing.removeAll(described);
    assertEquals(Set.of(), missing);
  }
}
