package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of docs/how-to/simulate.md, with the shipped command. Scripts in place of sacct,
 * scontrol and the history of an agent print invented jobs and nodes, if the page's arguments are
 * used. The job array is in {@link SimulateClusterTest}.
 */
final class SimulatePageTest {
  private static final Path INPUTS = Build.root().resolve("simulator/src/test/resources");

  @TempDir Path folder;

  private Path commands() throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Page.script(
        bin.resolve("sacct"),
        "[ \"$SLURM_TIME_FORMAT\" = %%s ] && case \"$*\" in *\"--parsable2\"*\"$(head -n 1 %s | tr '|' ,)\")"
                .formatted(INPUTS.resolve("sacct.txt"))
            + " cat %s ;; *) exit 1 ;; esac".formatted(INPUTS.resolve("sacct.txt")));
    Page.script(
        bin.resolve("scontrol"),
        "[ \"$*\" = 'show nodes --oneliner' ] && cat " + INPUTS.resolve("nodes.txt"));
    Page.script(
        bin.resolve("schedgpu"),
        "case \"$*\" in 'history --json --limit 1000000') exec cat %s ;; esac\n"
                .formatted(INPUTS.resolve("history.json"))
            + "exec %s \"$@\"".formatted(Build.command()));
    return bin;
  }

  @Test
  void thePageShowsCommandsThatWorkAndWhatTheyPrint() throws IOException, InterruptedException {
    Path bin = commands();
    List<Page.Shown> shown = Page.shownBy(Page.named("how-to/simulate.md"));
    assertEquals(9, shown.size());
    shown.removeIf(command -> command.command().contains("--slurm "));
    for (Page.Shown command : shown) {
      ProcessBuilder builder =
          new ProcessBuilder("bash", "-c", command.command())
              .directory(folder.toFile())
              .redirectErrorStream(true);
      builder.environment().merge("PATH", bin.toString(), (path, first) -> first + ":" + path);
      Process process = builder.start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, process.waitFor(), () -> command.command() + ":\n" + output);
      assertTrue(command.isIn(output), () -> command.command() + ":\n" + output);
    }
  }
}
