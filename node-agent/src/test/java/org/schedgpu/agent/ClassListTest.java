package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The class lists of the archive; Java refuses a list with a repeated number. */
class ClassListTest {
  private static final Path SCRIPT =
      Path.of(System.getProperty("schedgpu.root"), "node-agent/src/main/sh/schedgpu-archive");

  @TempDir Path folder;

  private String merged(String... lists) throws IOException {
    String[] command = new String[lists.length + 3];
    command[0] = "sh";
    command[1] = SCRIPT.toString();
    command[2] = "--merge";
    for (int i = 0; i < lists.length; i++) {
      Path list = folder.resolve(i + ".classes");
      Files.writeString(list, lists[i]);
      command[i + 3] = list.toString();
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aClassIsNamedOnce() throws IOException {
    assertEquals("java/lang/Object\nA\nB\n", merged("java/lang/Object\nA\n", "# note\nA\nB\n"));
  }

  /** In the format of Java 25: each list has its own numbers. */
  @Test
  void numbersOfOneListMeanNothingInAnother() throws IOException {
    String lambda = "@lambda-proxy A run ()Ljava/lang/Runnable; ()V REF_invokeStatic A lambda ()V";

    assertEquals(
        "java/lang/Object\nA\n" + lambda + "\nB\n",
        merged(
            "java/lang/Object id: 0\nA id: 1\n" + lambda + "\n",
            "java/lang/Object id: 0\nB id: 1\nA id: 2\n" + lambda + "\n"));
  }

  @Test
  void aClassOfAnotherLoaderIsLeftOut() throws IOException {
    assertEquals(
        List.of("A"), merged("A id: 1\nC id: 2 super: 0 source: file:/c.jar\n").lines().toList());
  }
}
