package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.demo.JobResult.Outcome;

class ReportTest {
  private static final Bounds BOUNDS = Bounds.of(Fixtures.PROGRAMS);

  private static final Artifacts NONE = new Artifacts(Path.of("/nowhere"));
  private static final Workload PAPER = new PaperWorkload(NONE, Fixtures.PROGRAMS);

  @TempDir Path folder;

  @Test
  void tableHasThePaperBesideUs() {
    assertEquals(
        """
                                jobs    total time (s)   GPU busy (%)  memory used (%)
        configuration           done     paper     here  paper   here   paper     here
        Slurm as it is          3/ 3   2,485.2  2,500.0    9.2   45.5     3.8     40.0
        12 shares, unsafe       2/ 3         -    350.0      -   45.5       -     40.0
        schedGPU FIFO           3/ 3     542.5    446.0   43.1   45.5    42.7     40.0
        schedGPU MMU            3/ 3     527.2    374.0   43.7   45.5    43.3     40.0
        schedGPU Priority FIFO  3/ 3     515.6    373.8   45.6   45.5    46.6     40.0
        schedGPU Priority MMU   3/ 3     512.5    373.9   45.8   45.5    47.2     40.0
        """,
        Table3.text(Fixtures.allRuns()));
  }

  @Test
  void textFitsInto80Columns() {
    String text = PAPER.introduction(20) + new Report(settings(), PAPER, Fixtures.allRuns()).text();
    List<String> tooLong = text.lines().filter(line -> line.length() > 80).toList();
    assertEquals(List.of(), tooLong);
  }

  @Test
  void theTrainingsHaveTheirOwnTable() throws IOException {
    Workload trainings = new TrainingWorkload(NONE);
    List<RunResult> runs =
        List.of(
            Fixtures.run(RunKind.UNSAFE, Outcome.OUT_OF_MEMORY, 60.5),
            Fixtures.run(RunKind.FIFO, Outcome.COMPLETED, 90));
    Report report = new Report(settings(), trainings, runs);

    assertEquals(
        """
                                jobs       out of       total  mean wait for     memory
        configuration           done       memory    time (s)     memory (s)   used (%)
        12 shares, unsafe       2/ 3            1       100.0            2.5       40.0
        schedGPU FIFO           3/ 3            0       100.0            2.5       40.0
        """,
        TrainingTable.text(runs));
    String text = trainings.introduction(1) + report.text();
    assertEquals(List.of(), text.lines().filter(line -> line.length() > 80).toList());
    assertTrue(text.contains("ask for 1.9 times the device"), text);

    report.write();

    assertFalse(new ObjectMapper().readTree(folder.resolve("result.json").toFile()).has("bounds"));
    String svg = Files.readString(folder.resolve("demo.svg"));
    assertTrue(svg.contains("Twelve trainings by PyTorch"), "no title");
    assertFalse(svg.contains("(paper"), "the paper did not run this");
  }

  @Test
  void progressFitsInto79Columns() {
    Progress.State state = new Progress.State(12, 12, 12, 12, 100, 100, 99999);
    for (RunKind kind : RunKind.values()) {
      assertTrue(Progress.line(kind, state).length() <= 79, Progress.line(kind, state));
    }
  }

  @Test
  void analysisComparesWithTheBoundAndTheFirstRun() {
    String text = Analysis.text(Fixtures.allRuns(), BOUNDS);
    assertTrue(text.contains("   322.8 s  the longest job"), text);
    assertTrue(text.contains("   228.6 s  all kernels"), text);
    assertTrue(
        text.contains("schedGPU FIFO            4.58  5.60     38.2%       20.0    2.5"), text);
  }

  @Test
  void runThatLostJobsHasNoSpeedUp() {
    String unsafe =
        Analysis.text(Fixtures.allRuns(), BOUNDS)
            .lines()
            .filter(line -> line.startsWith("12 shares"))
            .findFirst()
            .orElseThrow();
    assertTrue(unsafe.startsWith("12 shares, unsafe           -     -"), unsafe);
  }

  @Test
  void jobsMayBeLostInTheUnsafeRunOnly() {
    assertFalse(Fixtures.run(RunKind.UNSAFE, Outcome.OUT_OF_MEMORY, 300).lostJobs());
    assertFalse(Fixtures.run(RunKind.FIFO, Outcome.COMPLETED, 300).lostJobs());
    assertTrue(Fixtures.run(RunKind.FIFO, Outcome.OUT_OF_MEMORY, 300).lostJobs());
    assertTrue(Fixtures.run(RunKind.EXCLUSIVE, Outcome.FAILED, 300).lostJobs());
  }

  @Test
  void jsonHasTheAgreedFields() throws Exception {
    new Report(settings(), PAPER, Fixtures.allRuns()).write();
    JsonNode json = new ObjectMapper().readTree(folder.resolve("result.json").toFile());
    assertEquals(20, json.path("scale").asInt());
    assertEquals("Emulated GPU, 4,799 MiB", json.path("device").asText());
    List<String> names = new ArrayList<>();
    json.path("runs").forEach(run -> names.add(run.path("name").asText()));
    assertEquals(
        List.of("exclusive", "unsafe", "fifo", "mmu", "priority-fifo", "priority-mmu"), names);
    JsonNode unsafe = json.path("runs").path(1);
    assertEquals(3, unsafe.path("jobs").asInt());
    assertEquals(2, unsafe.path("completed").asInt());
    assertEquals(1, unsafe.path("oom").asInt());
    assertEquals(350, unsafe.path("totalSeconds").asDouble());
    assertEquals(45.5, unsafe.path("gpuUtilisationPercent").asDouble());
    assertEquals(40, unsafe.path("memoryUsedPercent").asDouble());
  }

  @Test
  void pictureIsPngAndSvg() throws Exception {
    new Report(settings(), PAPER, Fixtures.allRuns()).write();
    BufferedImage image = ImageIO.read(folder.resolve("demo.png").toFile());
    assertEquals(1600, image.getWidth());
    String svg = Files.readString(folder.resolve("demo.svg"));
    assertTrue(svg.contains("Twelve jobs, one emulated GPU"), "no title");
    assertTrue(svg.contains("schedGPU Priority MMU"), "no last run");
  }

  private Settings settings() {
    return new Settings(20, List.of(RunKind.values()), false, folder);
  }
}
