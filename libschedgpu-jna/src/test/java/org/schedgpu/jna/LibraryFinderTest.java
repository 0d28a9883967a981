package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LibraryFinderTest {
  private static final Optional<Path> FOLDER = Optional.of(Path.of("/opt/sg/lib/schedgpu"));

  private static Properties properties(String... pairs) {
    Properties properties = new Properties();
    for (int i = 0; i < pairs.length; i += 2) {
      properties.setProperty(pairs[i], pairs[i + 1]);
    }
    return properties;
  }

  @Test
  void thePropertyWins() {
    assertEquals(
        List.of(Path.of("/a.so")),
        LibraryFinder.candidates(
            properties(LibraryFinder.PROPERTY, "/a.so"),
            Map.of(LibraryFinder.VARIABLE, "/b.so"),
            FOLDER));
  }

  @Test
  void thenTheVariable() {
    assertEquals(
        List.of(Path.of("/b.so")),
        LibraryFinder.candidates(properties(), Map.of(LibraryFinder.VARIABLE, "/b.so"), FOLDER));
  }

  @Test
  void thenTheFoldersAroundTheJarAndTheSystem() {
    List<Path> places = LibraryFinder.candidates(properties("os.arch", "amd64"), Map.of(), FOLDER);
    assertEquals(
        Stream.of("/opt/sg/lib/schedgpu", "/opt/sg/lib", "/opt/sg/lib/x86_64-linux-gnu")
            .flatMap(
                folder ->
                    Stream.of("libschedgpu.so.0", "libschedgpu.so")
                        .map(name -> folder + "/" + name))
            .toList(),
        places.stream().limit(6).map(Path::toString).toList());
    assertEquals(
        Path.of("/usr/lib/x86_64-linux-gnu/libschedgpu.so"), places.get(places.size() - 1));
  }

  @Test
  void aPackagesLibraryBesideItsJarComesBeforeThatOfAnotherPrefix() {
    List<Path> places =
        LibraryFinder.candidates(
            properties("os.arch", "amd64"), Map.of(), Optional.of(Path.of("/usr/lib/schedgpu")));
    assertTrue(
        places.indexOf(Path.of("/usr/lib/x86_64-linux-gnu/libschedgpu.so.0"))
            < places.indexOf(Path.of("/usr/local/lib/libschedgpu.so")));
  }
}
