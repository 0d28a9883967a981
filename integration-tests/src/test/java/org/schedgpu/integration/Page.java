package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** The commands of a page of the documentation. */
final class Page {
  private static final String PROMPT = "$ ";

  private Page() {}

  /** A file below docs. */
  static Path named(String name) {
    return Build.root().resolve("docs").resolve(name);
  }

  /**
   * A command and its shown output; a line {@code ...} stands for any lines, and so does the end.
   */
  record Shown(String command, List<String> output) {
    /** True if the output has the shown lines in their order; blanks count as one. */
    boolean isIn(String text) {
      Iterator<String> lines = text.lines().map(Shown::words).iterator();
      for (String line : output) {
        boolean found = line.equals("...");
        while (!found && lines.hasNext()) {
          found = lines.next().equals(words(line));
        }
        if (!found) {
          return false;
        }
      }
      return true;
    }

    private static String words(String line) {
      return line.strip().replaceAll("\\s+", " ");
    }
  }

  /** The commands that a page shows, in its order. */
  static List<String> commandsOf(Path page) throws IOException {
    return shownBy(page).stream().map(Shown::command).toList();
  }

  /**
   * The console blocks of a page, in its order: commands on lines that begin with "$ " and continue
   * after a backslash, and output below them.
   */
  static List<Shown> shownBy(Path page) throws IOException {
    List<Shown> shown = new ArrayList<>();
    boolean inConsole = false;
    StringBuilder open = new StringBuilder();
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith("```")) {
        inConsole = line.equals("```console");
      } else if (inConsole && (open.length() > 0 || line.startsWith(PROMPT))) {
        open.append(open.length() > 0 ? "\n" + line : line.substring(PROMPT.length()));
        if (!line.endsWith("\\")) {
          shown.add(new Shown(open.toString(), new ArrayList<>()));
          open.setLength(0);
        }
      } else if (inConsole && !shown.isEmpty()) {
        shown.get(shown.size() - 1).output().add(line);
      }
    }
    return shown;
  }

  /** Makes a command that is one line of shell. */
  static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
