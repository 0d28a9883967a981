package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The options of Java that the script chooses. A script that prints its arguments replaces Java.
 */
class LauncherTest {
  @TempDir Path folder;

  @BeforeEach
  void install() throws IOException {
    script("java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    script("schedgpu", Files.readString(Path.of("src/main/sh/schedgpu")));
    Files.createFile(folder.resolve("schedgpu.jar"));
  }

  private void script(String name, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private List<String> collectors(String command, String variable, String value) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(folder.resolve("schedgpu").toString(), command)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    for (String name :
        List.of(
            "SCHEDGPU_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
      builder.environment().remove(name);
    }
    builder.environment().put("SCHEDGPU_JAVA", folder.resolve("java").toString());
    builder.environment().put(variable, value);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return said.lines().filter(word -> word.matches("-XX:\\+Use.*GC")).toList();
  }

  @Test
  void everyCommandStartsWithTheSerialCollector() throws Exception {
    assertEquals(List.of("-XX:+UseSerialGC"), collectors("status", "A", "b"));
    assertEquals(List.of("-XX:+UseSerialGC"), collectors("agent", "A", "b"));
    assertEquals(List.of("-XX:+UseSerialGC"), collectors("jobs", "_JAVA_OPTIONS", "-Xmx100m"));
  }

  @Test
  void aSiteThatHasOneForAllJavaKeepsIt() throws Exception {
    for (String variable : List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
      assertEquals(List.of(), collectors("status", variable, "-Xmx1g -XX:+UseParallelGC"));
      assertEquals(List.of(), collectors("agent", variable, "-XX:+UseParallelGC"));
    }
  }

  @Test
  void soDoesWhoNamesOneForUs() throws Exception {
    assertEquals(
        List.of("-XX:+UseZGC"), collectors("status", "SCHEDGPU_JAVA_OPTIONS", "-XX:+UseZGC"));
  }

  private String said(String... words) throws Exception {
    List<String> line = new ArrayList<>();
    line.add(folder.resolve("schedgpu").toString());
    line.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("SCHEDGPU_JAVA", folder.resolve("java").toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    return said;
  }

  @Test
  void aJobStartsNoJava() throws Exception {
    script("schedgpu-run", "#!/bin/sh\necho program \"$@\"\n");
    String program = "program " + folder.resolve("schedgpu");
    assertEquals(program + " run --mem 1G -- status\n", said("run", "--mem", "1G", "--", "status"));
    assertEquals(
        program + " --conf jobs --run-dir=/r run true\n",
        said("--conf", "jobs", "--run-dir=/r", "run", "true"));
    for (String[] words :
        new String[][] {{"run", "--help"}, {"jobs", "run"}, {"--help", "run"}, {"--conf", "run"}}) {
      assertEquals(-1, said(words).indexOf("program"), String.join(" ", words));
    }
  }

  @Test
  void commandsWithoutHistoryHaveTheirClassesFromTheBootLoader() throws Exception {
    String option = "-Xbootclasspath/a:" + folder.resolve("schedgpu.jar");
    for (String[] words :
        new String[][] {{"status"}, {"--run-dir=/r", "jobs"}, {"--version"}, {"jobs", "agent"}}) {
      assertTrue(said(words).lines().anyMatch(option::equals), words[0]);
    }
    for (String[] words :
        new String[][] {
          {"agent"}, {"--conf", "jobs", "agent"}, {"history"}, {"report"}, {"gres", "verify"}
        }) {
      assertTrue(said(words).lines().noneMatch(option::equals), words[0]);
    }
  }

  private int exitCode(String... words) throws Exception {
    List<String> line = new ArrayList<>(List.of(folder.resolve("schedgpu").toString()));
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.redirectOutput(folder.resolve("output").toFile());
    builder.environment().put("SCHEDGPU_JAVA", folder.resolve("java").toString());
    return builder.start().waitFor();
  }

  @Test
  void aStatusStartsJavaOnlyIfTheProgramCannotAnswer() throws Exception {
    script("schedgpu-run", "#!/bin/sh\necho program \"$@\"\nexit \"$(cat \"${0%/*}/code\")\"\n");
    for (String code : List.of("0", "1")) {
      Files.writeString(folder.resolve("code"), code);
      assertEquals(Integer.parseInt(code), exitCode("--run-dir", "/r", "status", "--json"));
      assertEquals(
          "program --status --run-dir /r status --json\n",
          Files.readString(folder.resolve("output")));
    }
    Files.writeString(folder.resolve("code"), "75");
    assertEquals(0, exitCode("status"));
    assertTrue(Files.readString(folder.resolve("output")).endsWith(".jar\nstatus\n"));
    Files.delete(folder.resolve("schedgpu-run"));
    assertEquals(0, exitCode("status"));
  }
}
