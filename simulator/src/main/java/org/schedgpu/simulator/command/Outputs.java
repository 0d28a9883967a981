package org.schedgpu.simulator.command;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.schedgpu.gres.common.Json;
import org.schedgpu.simulator.answer.Answer;
import org.schedgpu.simulator.answer.AnswerPage;
import org.schedgpu.simulator.answer.AnswerPicture;
import org.schedgpu.simulator.answer.OutputFile;
import org.schedgpu.simulator.answer.Tables;
import picocli.CommandLine.Option;

/** The options that say where the answer goes. */
final class Outputs {
  @Option(names = "--json", description = "Prints JSON: seconds and percent.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Writes a page with the table and the picture, too.")
  private Path html;

  @Option(names = "--png", paramLabel = "FILE", description = "Writes the picture, too.")
  private Path png;

  boolean isJson() {
    return json;
  }

  /** Prints the answer, and writes the files. */
  void write(Answer answer, PrintWriter out) {
    if (html != null || png != null) {
      byte[] picture = AnswerPicture.png(answer);
      if (png != null) {
        OutputFile.write(png, picture);
      }
      if (html != null) {
        OutputFile.write(html, AnswerPage.of(answer, picture).getBytes(StandardCharsets.UTF_8));
      }
    }
    out.print(json ? Json.write(answer) : Tables.of(answer));
    out.flush();
  }
}
