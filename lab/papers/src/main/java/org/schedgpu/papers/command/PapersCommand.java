package org.schedgpu.papers.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.imageio.ImageIO;
import org.schedgpu.demo.DemoException;
import org.schedgpu.papers.common.HtmlPage;
import org.schedgpu.papers.common.MarkdownText;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;
import org.schedgpu.papers.common.SummaryText;
import org.schedgpu.papers.paper001.Paper001;
import org.schedgpu.papers.paper002.Paper002;
import org.schedgpu.papers.paper003.Paper003;
import org.schedgpu.papers.paper004.Emulated;
import org.schedgpu.papers.paper004.Paper004;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reproduces tables and figures of the papers, and shows them beside the papers' numbers. */
@Command(
    name = "papers",
    sortOptions = false,
    description = "Reproduces tables and figures of the papers with the simulator.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done, whatever came out.",
      "1:A file cannot be read or written.",
      "2:Wrong usage."
    })
public final class PapersCommand implements Callable<Integer> {
  private static final String ROOT = "schedgpu.root";

  @Spec private CommandSpec spec;

  @Option(
      names = "--only",
      paramLabel = "PAPER",
      split = ",",
      description = "Some of 001, 002, 003, 004. Default: all.")
  private List<String> only = List.of("001", "002", "003", "004");

  @Option(
      names = "--output",
      paramLabel = "DIR",
      description = "Folder of the results. Default: target/papers.")
  private Path output;

  @Option(
      names = "--emulator",
      arity = "0..1",
      paramLabel = "FIGURE",
      split = ",",
      fallbackValue = "6,9,11,13",
      description = {
        "Only measures figures of paper 004 again that run on the emulated GPU, some of 6, 9, 11, 13.",
        "Default: all (two minutes)."
      })
  private List<Integer> emulator = List.of();

  @Option(
      names = "--update-page",
      description = "Writes the tables into docs/explanation/papers.md, and its pictures, too.")
  private boolean updatePage;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  private final long beganNs = System.nanoTime();

  /** Runs it; the process ends with its status. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new PapersCommand())
        .setExecutionExceptionHandler(
            (problem, line, result) -> {
              if (problem instanceof PapersException) {
                line.getErr().println(problem.getMessage());
                return 1;
              }
              throw problem;
            });
  }

  @Override
  public Integer call() {
    for (String paper : only) {
      if (!paper.matches("00[1234]")) {
        throw new ParameterException(
            spec.commandLine(), "--only " + paper + " is none of 001, 002, 003, 004");
      }
    }
    for (int figure : emulator) {
      if (!Emulated.figures().contains(figure)) {
        throw new ParameterException(
            spec.commandLine(), "--emulator " + figure + " is none of 6, 9, 11, 13");
      }
    }
    Path root = Path.of(System.getProperty(ROOT, ".")).toAbsolutePath().normalize();
    Path folder = output == null ? root.resolve("target/papers") : output.toAbsolutePath();
    try {
      Files.createDirectories(folder);
      if (!emulator.isEmpty()) {
        return measure(root);
      }
      Map<String, List<Part>> parts = new LinkedHashMap<>();
      for (String paper : only) {
        parts.put(paper, play(paper, root));
      }
      write(parts, folder, new Page(root));
    } catch (IOException problem) {
      throw new PapersException(
          "cannot write into " + folder + " (" + problem + ")", "check the folder");
    } catch (DemoException problem) {
      throw new PapersException(
          problem.getMessage(), "run make build, and see the page of the demo");
    } catch (InterruptedException problem) {
      Thread.currentThread().interrupt();
      return 1;
    }
    return 0;
  }

  /** What came out beside the paper's and the simulator's; the page takes it from the kept file. */
  private int measure(Path root) throws IOException, InterruptedException {
    Part measured = Emulated.measure(root, emulator, this::progress);
    PrintWriter out = spec.commandLine().getOut();
    out.print(MarkdownText.of(List.of(measured)));
    out.println("the page shows it after: make papers-page");
    out.flush();
    return 0;
  }

  private List<Part> play(String paper, Path root) {
    return switch (paper) {
      case "001" -> Paper001.parts(root, this::progress);
      case "003" -> Paper003.parts(Runtime.getRuntime().availableProcessors(), this::progress);
      case "004" -> Paper004.parts(root, this::progress);
      default -> Paper002.parts(this::progress);
    };
  }

  private synchronized void progress(String begins) {
    PrintWriter err = spec.commandLine().getErr();
    err.printf("%4d s  %s%n", (System.nanoTime() - beganNs) / 1_000_000_000L, begins);
    err.flush();
  }

  private void write(Map<String, List<Part>> byPaper, Path folder, Page page) throws IOException {
    List<Part> parts = new ArrayList<>();
    byPaper.values().forEach(parts::addAll);
    progress("pictures");
    for (Part part : parts) {
      for (Picture picture : part.pictures()) {
        ImageIO.write(picture.drawing().draw(), "png", folder.resolve(picture.file()).toFile());
      }
    }
    Files.writeString(folder.resolve("index.html"), HtmlPage.of(parts), StandardCharsets.UTF_8);
    PrintWriter out = spec.commandLine().getOut();
    out.print(SummaryText.of(parts));
    out.println("pictures and all tables: " + folder.resolve("index.html"));
    for (Map.Entry<String, List<Part>> paper : byPaper.entrySet()) {
      comparePage(paper.getKey(), Page.block(paper.getValue()), page);
    }
    if (updatePage) {
      page.updatePictures(parts);
    }
    out.flush();
  }

  /** The page and what was just computed: the same numbers, or a line that says so. */
  private void comparePage(String paper, String block, Page page) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (updatePage) {
      page.update(paper, block);
      out.println("paper " + paper + ": written into " + page.file());
    } else if (!page.shown(paper).equals(block)) {
      out.println("paper " + paper + ": " + page.file() + " differs: make papers-page writes it");
    }
  }
}
