package org.schedgpu.agent.suggest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.IoReason;

/**
 * The file {@code learned} in the run directory, by which the root side decides jobs with
 * DefaultMem=learned (libschedgpu/conf/learned.c). Root's alone: it names the jobs of all users.
 */
public final class LearnedTable {
  private static final String FIRST_LINES =
      "schedgpu-learned 1\n# user, bytes of each device, name of the job; written by the agent\n";

  /** The reader looks at no larger file. */
  private static final int MOST_BYTES = 1 << 20;

  private static final FileAttribute<?> ROOT_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path file;
  private String written = "";

  /**
   * @param runDir where the region is
   */
  public LearnedTable(Path runDir) {
    file = runDir.resolve("learned");
  }

  /** The text; of more than fits the first. */
  static String text(List<Suggestion> suggestions) {
    StringBuilder text = new StringBuilder(FIRST_LINES);
    int bytes = FIRST_LINES.length();
    for (Suggestion s : suggestions) {
      if (s.name().chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
        continue; // the reader's names have none, so that none can forge a line
      }
      String line =
          Integer.toUnsignedString(s.uid()) + " " + s.suggestedBytes() + " " + s.name() + "\n";
      bytes += line.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MOST_BYTES) {
        break;
      }
      text.append(line);
    }
    return text.toString();
  }

  /** Replaces the file as a whole, if something changed. */
  public void write(List<Suggestion> suggestions) {
    String text = text(suggestions);
    if (text.equals(written) && Files.exists(file)) {
      return;
    }
    Path fresh = file.resolveSibling("learned.new");
    try {
      create(fresh);
      Files.writeString(fresh, text);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      written = text;
    } catch (IOException problem) {
      throw new AgentException(
          file
              + ": cannot be written ("
              + IoReason.of(problem)
              + "): check RunDir and its file system",
          problem);
    }
  }

  /** What a killed agent left is begun anew. */
  private static void create(Path fresh) throws IOException {
    try {
      Files.createFile(fresh, ROOT_ONLY);
    } catch (FileAlreadyExistsException left) {
      Files.delete(fresh);
      Files.createFile(fresh, ROOT_ONLY);
    }
  }
}
