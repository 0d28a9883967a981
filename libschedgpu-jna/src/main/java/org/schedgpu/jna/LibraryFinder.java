package org.schedgpu.jna;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Where libschedgpu.so is: the system property {@value #PROPERTY}, else the environment variable
 * {@value #VARIABLE}, else beside the jar or above it, else the system's library folders. What is
 * named explicitly is never replaced by something found elsewhere.
 */
public final class LibraryFinder {
  /** System property that names the library. */
  public static final String PROPERTY = "schedgpu.library";

  /** Environment variable that names the library. */
  public static final String VARIABLE = "SCHEDGPU_LIBRARY";

  private static final String FILE = "libschedgpu.so";
  private static final List<String> FOLDERS =
      List.of("/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib");

  private LibraryFinder() {}

  /** The library that would be loaded, if there is one. */
  public static Optional<Path> find() {
    return candidates().stream().filter(Files::isRegularFile).findFirst();
  }

  /** The places where the library is looked for, the first that exists is taken. */
  public static List<Path> candidates() {
    return candidates(System.getProperties(), System.getenv(), ownFolder());
  }

  static List<Path> candidates(
      Properties properties, Map<String, String> environment, Optional<Path> ownFolder) {
    String named = properties.getProperty(PROPERTY, environment.getOrDefault(VARIABLE, ""));
    if (!named.isEmpty()) {
      return List.of(Path.of(named).toAbsolutePath().normalize());
    }
    List<Path> places = new ArrayList<>();
    ownFolder.ifPresent(
        folder -> {
          places.add(folder.resolve(FILE));
          Optional.ofNullable(folder.getParent()).ifPresent(up -> places.add(up.resolve(FILE)));
        });
    for (String folder : FOLDERS) {
      places.add(Path.of(folder, FILE));
    }
    places.add(Path.of("/usr/lib", debianTriplet(properties.getProperty("os.arch", "")), FILE));
    return places;
  }

  private static String debianTriplet(String architecture) {
    String cpu = architecture.equals("amd64") ? "x86_64" : architecture;
    return cpu + "-linux-gnu";
  }

  private static Optional<Path> ownFolder() {
    CodeSource source = LibraryFinder.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(Path.of(source.getLocation().toURI()).getParent());
    } catch (URISyntaxException | IllegalArgumentException notAFile) {
      return Optional.empty();
    }
  }
}
