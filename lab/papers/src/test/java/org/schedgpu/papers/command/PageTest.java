package org.schedgpu.papers.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.papers.common.Part;
import org.schedgpu.papers.common.Picture;

class PageTest {
  @TempDir Path root;

  private static Picture picture(String file) {
    return new Picture(file, "caption", () -> new BufferedImage(7, 5, BufferedImage.TYPE_INT_RGB));
  }

  @Test
  void onlyPicturesThatThePageShowsAreDrawnIntoTheDocumentation() throws IOException {
    Path images = Files.createDirectories(root.resolve("docs/images"));
    Path folder = Files.createDirectories(root.resolve("docs/explanation"));
    Files.writeString(folder.resolve("papers.md"), "![Text](../images/shown.png)\n");
    List<Picture> pictures = List.of(picture("shown.png"), picture("other.png"));
    Part part = new Part("004", "Figure", List.of(), List.of(), pictures, List.of());
    new Page(root).updatePictures(List.of(part));
    assertEquals(7, ImageIO.read(images.resolve("shown.png").toFile()).getWidth());
    assertFalse(Files.exists(images.resolve("other.png")));
  }
}
