package org.schedgpu.gres.conf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/**
 * plugstack.conf and the files that it includes: the plugins in the order in which Slurm loads
 * them.
 */
public final class PlugStack {
  private final List<PlugStackFile> files = new ArrayList<>();
  private final List<PlugStackLine> plugins = new ArrayList<>();
  private final List<Path> open = new ArrayList<>();

  private PlugStack() {}

  /**
   * Reads the files. As for Slurm, a missing file is the same as an empty one.
   *
   * @throws GresException if a file cannot be read, or Slurm would reject or ignore a line
   */
  public static PlugStack read(Path plugstackConf) {
    PlugStack stack = new PlugStack();
    Path root = plugstackConf.toAbsolutePath().normalize();
    if (Files.exists(root)) {
      stack.follow(root);
    }
    return stack;
  }

  /** All files, the root first. */
  public List<PlugStackFile> files() {
    return List.copyOf(files);
  }

  /** All plugins. */
  public List<PlugStackLine> plugins() {
    return List.copyOf(plugins);
  }

  private void follow(Path path) {
    PlugStackFile file = read0(path);
    files.add(file);
    open.add(path);
    for (PlugStackLine line : file.lines()) {
      if (line.plugin().isPresent()) {
        plugins.add(line);
      }
      line.include().ifPresent(pattern -> include(line, pattern));
    }
    open.remove(open.size() - 1);
  }

  /** Includes the matching files. A pattern that matches no file is not an error. */
  private void include(PlugStackLine line, String pattern) {
    for (Path path : Glob.find(line.place().file().getParent(), pattern)) {
      if (open.contains(path)) {
        throw line.place()
            .error("%s is included by itself: %s".formatted(path, open), "take one include out");
      }
      follow(path);
    }
  }

  private static PlugStackFile read0(Path path) {
    try {
      return PlugStackFile.parse(path, Files.readAllBytes(path));
    } catch (IOException e) {
      throw new GresException(
          "file %s cannot be read (%s)".formatted(path, IoReason.of(e)), "make it readable", e);
    }
  }
}
