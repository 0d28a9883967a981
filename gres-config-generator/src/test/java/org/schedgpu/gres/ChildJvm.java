package org.schedgpu.gres;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Starts a main class of the tests in its own process, also as another user. */
public final class ChildJvm {
  private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
  private static final String NOBODY = "65534";

  private ChildJvm() {}

  /** The command line of a class with the class path of this process. */
  public static List<String> command(String mainClass, String... arguments) {
    return command(System.getProperty("java.class.path"), mainClass, arguments);
  }

  private static List<String> command(String classPath, String mainClass, String... arguments) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-cp", classPath, mainClass));
    words.addAll(List.of(arguments));
    return words;
  }

  /** Why this test cannot use another user; empty if it can. */
  public static String whyNotAsNobody() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "only root can be another user";
    }
    return Files.isExecutable(SETPRIV) ? "" : SETPRIV + " is not there";
  }

  /**
   * As the user nobody, who reads a copy of the class path.
   *
   * @param folder an empty one that belongs to root
   */
  public static List<String> commandAsNobody(Path folder, String mainClass, String... arguments)
      throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                SETPRIV.toString(), "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
    words.addAll(command(readableClassPath(folder), mainClass, arguments));
    return words;
  }

  private static String readableClassPath(Path folder) throws IOException {
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path from = Path.of(entry);
      if (Files.isDirectory(from) || entry.contains("picocli") || entry.contains("jackson")) {
        Path to = folder.resolve(entries.size() + "-" + from.getFileName());
        copy(from, to);
        entries.add(to.toString());
      }
    }
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    return String.join(File.pathSeparator, entries);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path copy = to.resolve(from.relativize(path).toString());
        Files.copy(path, from.equals(path) ? to : copy);
        Files.setPosixFilePermissions(
            from.equals(path) ? to : copy,
            PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-xr-x" : "rw-r--r--"));
      }
    }
  }

  /** Runs a command to its end: its exit code on the first line, then its output. */
  public static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + "\n" + output;
  }
}
