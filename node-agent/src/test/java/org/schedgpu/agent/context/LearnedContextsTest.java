package org.schedgpu.agent.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.context.LearnedContexts.Kind;

class LearnedContextsTest {
  private static final Kind H100 = new Kind("NVIDIA H100", "580.65");

  @TempDir Path folder;

  private Path file() {
    return folder.resolve("lib/contexts.conf");
  }

  @Test
  void whatIsKeptIsReadAgain() throws IOException {
    LearnedContexts contexts = LearnedContexts.read(file());
    assertEquals(OptionalLong.empty(), contexts.of(H100));
    contexts.put(H100, 5);
    contexts.put(new Kind("NVIDIA H100", "590.1"), 6);
    contexts.put(H100, 7);
    for (LearnedContexts known : List.of(contexts, LearnedContexts.read(file()))) {
      assertEquals(OptionalLong.of(7), known.of(H100));
      assertEquals(OptionalLong.of(6), known.of(new Kind("NVIDIA H100", "590.1")));
      assertEquals(OptionalLong.empty(), known.of(new Kind("NVIDIA A100", "580.65")));
    }
    assertEquals(
        List.of(
            "# Written by schedgpu agent: what CUDA contexts take. May be removed.",
            "ContextBytes=7 Driver=580.65 Name=\"NVIDIA H100\"",
            "ContextBytes=6 Driver=590.1 Name=\"NVIDIA H100\""),
        Files.readAllLines(file()));
  }

  @Test
  void linesOfAnotherFormAreLeftOut() throws IOException {
    Files.createDirectories(file().getParent());
    Files.writeString(
        file(),
        "ContextBytes=x Driver=1 Name=\"a\"\nnothing\nContextBytes=3 Driver=580.65 Name=\"NVIDIA"
            + " H100\"\nContextBytes=99999999999999999999 Driver=1 Name=\"a\"\n");
    assertEquals(OptionalLong.of(3), LearnedContexts.read(file()).of(H100));
    assertEquals(OptionalLong.empty(), LearnedContexts.read(file()).of(new Kind("a", "1")));
  }
}
