package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Without libschedgpu, or with another version of it, users get one line and no stack trace. */
class MissingLibraryTest {
  private static String stderr(int expected, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return stderr(expected, command);
  }

  private static String stderr(int expected, List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SCHEDGPU_LIBRARY", "/nonexistent/libschedgpu.so.0");
    Process process = builder.start();
    String text = read(process);
    assertEquals(expected, process.waitFor(), text);
    assertFalse(text.contains("\tat "), text);
    return text;
  }

  private static String read(Process process) throws IOException {
    return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aCommandSaysWhatToInstall() throws Exception {
    assertTrue(stderr(1, "jobs").contains("install libschedgpu"));
  }

  @Test
  void aProgramRunsUnscheduled() throws Exception {
    assertTrue(
        stderr(0, RunProgram.line("run", "--", "true"))
            .contains(
                "/nonexistent/libschedgpu-preload.so: no readable library: install libschedgpu"));
  }
}
