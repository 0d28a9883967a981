package org.schedgpu.papers.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.schedgpu.papers.common.MarkdownText;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;

/** The page of the project that shows the tables: a block between two marks for each paper. */
final class Page {
  private final Path file;

  /**
   * @param root the project's folder
   */
  Page(Path root) {
    this.file = root.resolve("docs/explanation/papers.md");
  }

  Path file() {
    return file;
  }

  private static String begin(String paper) {
    return "<!-- papers " + paper + ": make papers-page writes what follows -->\n";
  }

  private static String end(String paper) {
    return "<!-- end of papers " + paper + " -->\n";
  }

  /** What it shows of a paper. */
  String shown(String paper) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    return text.substring(from(text, paper), to(text, paper));
  }

  /** What it should show of a paper. */
  static String block(List<Part> parts) {
    return "\n" + MarkdownText.of(parts);
  }

  /** Puts a block in. */
  void update(String paper, String block) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    String changed = text.substring(0, from(text, paper)) + block + text.substring(to(text, paper));
    Files.writeString(file, changed, StandardCharsets.UTF_8);
  }

  /** Draws the pictures that the page shows into docs/images. */
  void updatePictures(List<Part> parts) throws IOException {
    String text = Files.readString(file, StandardCharsets.UTF_8);
    Path images = file.resolveSibling("../images").normalize();
    for (Part part : parts) {
      for (Picture picture : part.pictures()) {
        if (text.contains("(../images/" + picture.file() + ")")) {
          ImageIO.write(picture.drawing().draw(), "png", images.resolve(picture.file()).toFile());
        }
      }
    }
  }

  private int from(String text, String paper) {
    return place(text, begin(paper)) + begin(paper).length();
  }

  private int to(String text, String paper) {
    return place(text, end(paper));
  }

  private int place(String text, String mark) {
    int place = text.indexOf(mark);
    if (place < 0) {
      throw new PapersException(
          file + " has no line " + mark.strip(), "take the page from the repository again");
    }
    return place;
  }
}
