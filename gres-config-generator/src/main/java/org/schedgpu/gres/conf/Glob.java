package org.schedgpu.gres.conf;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** glob(7) as plugstack.conf uses it: {@code * ? [a-z]} in any part of a path. */
public final class Glob {
  private Glob() {}

  /**
   * The matching files, sorted by name.
   *
   * @param folder the folder to which a relative pattern is relative
   */
  public static List<Path> find(Path folder, String pattern) {
    List<Path> found = List.of(pattern.startsWith("/") ? Path.of("/") : folder);
    for (String part : pattern.split("/", -1)) {
      List<Path> next = new ArrayList<>();
      for (Path path : part.isEmpty() ? List.<Path>of() : found) {
        addMatches(path, part, next);
      }
      found = part.isEmpty() ? found : next;
    }
    return found.stream().map(Path::normalize).toList();
  }

  private static void addMatches(Path folder, String part, List<Path> found) {
    if (part.chars().noneMatch(c -> "*?[".indexOf(c) >= 0)) {
      Path path = folder.resolve(part);
      if (Files.exists(path)) {
        found.add(path);
      }
      return;
    }
    List<Path> matching = new ArrayList<>();
    Pattern regex = Pattern.compile(regex(part), Pattern.DOTALL);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        boolean hidden = name.startsWith(".") && !part.startsWith(".");
        if (!hidden && regex.matcher(name).matches()) {
          matching.add(entry);
        }
      }
    } catch (IOException e) {
      // glob(3) skips a folder that it cannot read; Slurm loads nothing from there either.
    }
    matching.stream().sorted().forEach(found::add);
  }

  private static String regex(String part) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < part.length(); i++) {
      char c = part.charAt(i);
      int close = c == '[' ? part.indexOf(']', i + 2) : -1;
      if (close > 0) {
        String inside = part.substring(i + 1, close).replace("\\", "\\\\").replace("[", "\\[");
        boolean not = inside.startsWith("!") || inside.startsWith("^");
        regex.append(not ? "[^" + inside.substring(1) : "[" + inside).append(']');
        i = close;
      } else if (c == '*') {
        regex.append(".*");
      } else {
        regex.append(c == '?' ? "." : Pattern.quote(String.valueOf(c)));
      }
    }
    return regex.toString();
  }
}
