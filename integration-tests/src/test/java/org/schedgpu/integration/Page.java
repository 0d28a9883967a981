package org.schedgpu.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** A page of the documentation, as far as its commands go. */
final class Page {
  private static final String PROMPT = "$ ";

  private Page() {}

  /** A file below docs. */
  static Path named(String name) {
    return Build.root().resolve("docs").resolve(name);
  }

  /** What a page shows in console blocks on lines that begin with "$ ", in its order. */
  static List<String> commandsOf(Path page) throws IOException {
    boolean[] console = {false};
    return Files.readAllLines(page).stream()
        .filter(
            line -> {
              if (line.startsWith("```")) {
                console[0] = line.equals("```console");
              }
              return console[0] && line.startsWith(PROMPT);
            })
        .map(line -> line.substring(PROMPT.length()))
        .toList();
  }

  /** Makes a command that is one line of shell. */
  static void script(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
