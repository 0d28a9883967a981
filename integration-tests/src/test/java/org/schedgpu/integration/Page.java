package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A page of the documentation, as far as its commands go. */
final class Page {
  private static final String PROMPT = "$ ";

  private Page() {}

  /** A file below docs. */
  static Path named(String name) {
    return Build.root().resolve("docs").resolve(name);
  }

  /**
   * What a page shows in console blocks on lines that begin with "$ ", in its order; a command goes
   * on behind a backslash.
   */
  static List<String> commandsOf(Path page) throws IOException {
    List<String> commands = new ArrayList<>();
    boolean inConsole = false;
    boolean goesOn = false;
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith("```")) {
        inConsole = line.equals("```console");
      } else if (goesOn) {
        commands.add(commands.remove(commands.size() - 1) + "\n" + line);
      } else if (inConsole && line.startsWith(PROMPT)) {
        commands.add(line.substring(PROMPT.length()));
      } else {
        continue;
      }
      goesOn = inConsole && line.endsWith("\\");
    }
    return commands;
  }

  /** Makes a command that is one line of shell. */
  static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
