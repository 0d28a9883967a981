package org.schedgpu.agent.overrun;

import static java.util.stream.Collectors.flatMapping;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.schedgpu.agent.conf.UnscheduledAction;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.gres.common.WholeFile;
import org.schedgpu.jna.UserFiles;

/** The folder of the run directory in which the agent writes down what runs unscheduled. */
public final class UnscheduledFiles {
  private static final String FOLDER = "unscheduled";

  private final Path folder;

  UnscheduledFiles(Path runDir) {
    this.folder = runDir.resolve(FOLDER);
  }

  /** The programs by the reference of their job; none if no agent wrote any, or without access. */
  public static Map<String, List<UnscheduledProgram>> byJob(Path runDir) {
    return new UnscheduledFiles(runDir)
        .read().stream()
            .collect(
                groupingBy(
                    UnscheduledStep::job, flatMapping(step -> step.programs().stream(), toList())));
  }

  List<UnscheduledStep> read() {
    List<UnscheduledStep> steps = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "[rs]*")) {
      for (Path file : files) {
        step(file).ifPresent(steps::add);
      }
    } catch (IOException | DirectoryIteratorException none) {
      return List.of();
    }
    return steps;
  }

  private static Optional<UnscheduledStep> step(Path file) {
    try (Stream<String> lines = UserFiles.text(file, UserFiles.MAX_BYTES).lines()) {
      return UnscheduledStep.of(file.getFileName().toString(), lines.toList());
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  /**
   * Replaces the file of a step.
   *
   * @param action what is done about its programs
   * @param reader the only user beside root who may read it; empty: who may read the region may
   */
  void write(UnscheduledStep step, UnscheduledAction action, OptionalInt reader) {
    String text = String.join("\n", step.lines(action)) + "\n";
    Path file = folder.resolve(step.fileName());
    try {
      Files.createDirectories(folder);
      WholeFile.write(
          file,
          text.getBytes(StandardCharsets.UTF_8),
          reader.isPresent() ? "r--------" : "rw-r--r--");
      if (reader.isPresent()) {
        Files.setAttribute(file, "unix:uid", reader.getAsInt(), LinkOption.NOFOLLOW_LINKS);
      }
    } catch (IOException problem) {
      throw new AgentException(
          "%s: cannot be written (%s): make room, or check the folder"
              .formatted(folder, problem.getMessage()),
          problem);
    }
  }

  void remove(UnscheduledStep step) {
    try {
      Files.deleteIfExists(folder.resolve(step.fileName()));
    } catch (IOException stays) {
      return; // it is removed with the run directory, and says nothing wrong before
    }
  }
}
