package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** Warnings are in groups, the worst first. */
class NoticesTest {
  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void aSite() {
    site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu1 CPUs=4 Gres=gpu:t4:2\nGresTypes=gpu\n")
            .write("gres.conf", "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-1] Bogus=1\n")
            .facts("gpu1", 0, 1);
  }

  private List<String> headings() {
    return site.text("--per-gpu=4").lines().filter(line -> line.matches("[A-Z][^=]*:")).toList();
  }

  @Test
  void whatStopsSlurmIsAboveWhatIsLostAndWhatIsCounted() {
    assertEquals(
        List.of(
            "Slurm does not start with this:",
            "What is lost, or not protected:",
            "What jobs and users get otherwise:",
            "To know:",
            "Steps on the live cluster, with the plan kept by --json > plan.json:"),
        headings());
    String first = site.json("--per-gpu=4").get("warnings").get(0).asText();
    assertTrue(first.endsWith("slurmd 22.05 will not start with this"), first);
  }

  @Test
  void aGroupOfNothingHasNoHeading() {
    site.write("gres.conf", "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-1]\n");
    assertEquals("What is lost, or not protected:", headings().get(0));
  }

  private List<String> hooks(String lines, String... arguments) {
    site.slurmConf("NodeName=gpu1 CPUs=4 Gres=gpu:t4:2\nGresTypes=gpu\n" + lines);
    return PlanFixture.strings(site.json(arguments).get("warnings")).stream()
        .filter(text -> text.contains("numbers of shares"))
        .map(text -> text.substring(0, text.indexOf(" of the site")))
        .toList();
  }

  @Test
  void programsOfTheSiteSeeNumbersOfShares() throws IOException {
    String lines = "Prolog=/etc/check\nEpilog=/x/schedgpu-epilog\nTaskProlog=/etc/task\n";
    assertEquals(List.of("Prolog=/etc/check, TaskProlog=/etc/task"), hooks(lines, "--per-gpu=4"));
    assertEquals(List.of(), hooks(lines, "--per-gpu=1"));
    assertEquals(List.of(), hooks(lines, "--by-memory"));
    assertEquals(List.of(), hooks("Prolog=/x/schedgpu-prolog\n", "--per-gpu=4"));

    assertEquals(
        List.of("Epilog=/etc/a, TaskEpilog=/etc/b"),
        hooks("Epilog=/etc/a\nTaskEpilog=/etc/b\n", "--per-gpu=4"));
    assertTrue(site.text("--per-gpu=4").replaceAll("\\s+", " ").contains("shares (0 to 7)"));

    Path folder = Files.createDirectory(temporary.toRealPath().resolve("prolog.d"));
    Files.writeString(folder.resolve("50-schedgpu"), "");
    String pattern = "Prolog=" + folder + "/*";
    assertEquals(List.of(), hooks(pattern + "\n", "--per-gpu=4"));
    Files.writeString(folder.resolve("10-site"), "");
    assertEquals(List.of(pattern), hooks(pattern + "\n", "--per-gpu=4"));
  }
}
