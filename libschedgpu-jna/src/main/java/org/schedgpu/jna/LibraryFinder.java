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
 * Finds libschedgpu.so: by the system property {@value #PROPERTY}, else the environment variable
 * {@value #VARIABLE}, else beside the jar or above it, else in the system's library folders. A file
 * that is named explicitly is never replaced by another one. In each place the name for linking
 * comes second, because it is in the package for developers, which may be absent.
 */
public final class LibraryFinder {
  /** System property that names the library. */
  public static final String PROPERTY = "schedgpu.library";

  /** Environment variable that names the library. */
  public static final String VARIABLE = "SCHEDGPU_LIBRARY";

  private static final List<String> FILES = List.of("libschedgpu.so.0", "libschedgpu.so");
  private static final List<String> SYSTEM_FOLDERS =
      List.of("/usr/local/lib", "/usr/local/lib64", "/usr/lib64", "/usr/lib");

  private LibraryFinder() {}

  /** The library that would be loaded, if it exists. */
  public static Optional<Path> find() {
    return candidates().stream().filter(Files::isRegularFile).findFirst();
  }

  /** The places to search; the first that exists is used. */
  public static List<Path> candidates() {
    return candidates(System.getProperties(), System.getenv(), ownFolder());
  }

  static List<Path> candidates(
      Properties properties, Map<String, String> environment, Optional<Path> ownFolder) {
    String named = properties.getProperty(PROPERTY, environment.getOrDefault(VARIABLE, ""));
    if (!named.isEmpty()) {
      return List.of(Path.of(named).toAbsolutePath().normalize());
    }
    String triplet = debianTriplet(properties.getProperty("os.arch", ""));
    List<Path> folders = new ArrayList<>();
    ownFolder.ifPresent(
        folder -> {
          folders.add(folder);
          Optional.ofNullable(folder.getParent())
              .ifPresent(up -> folders.addAll(List.of(up, up.resolve(triplet))));
        });
    for (String folder : SYSTEM_FOLDERS) {
      folders.add(Path.of(folder));
    }
    folders.add(Path.of("/usr/lib", triplet));
    List<Path> places = new ArrayList<>();
    for (Path folder : folders) {
      for (String file : FILES) {
        places.add(folder.resolve(file));
      }
    }
    return places;
  }

  private static String debianTriplet(String architecture) {
    String cpu = architecture.equals("amd64") ? "x86_64" : architecture;
    return cpu + "-linux-gnu";
  }

  /** The folder of the jar, if this class is in one. */
  static Optional<Path> ownFolder() {
    CodeSource source = LibraryFinder.class.getProtectionDomain().getCodeSource();
    if (source == null) { // read by the boot loader: the launcher started Java with -jar
      return Optional.ofNullable(Path.of(System.getProperty("java.class.path")).getParent());
    }
    if (source.getLocation() == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(Path.of(source.getLocation().toURI()).getParent());
    } catch (URISyntaxException | IllegalArgumentException notAFile) {
      return Optional.empty();
    }
  }

  /** The message for a missing library. */
  static String notFound() {
    return "schedgpu: no libschedgpu.so in "
        + candidates()
        + ": install libschedgpu, or set "
        + VARIABLE
        + " to its path";
  }
}
