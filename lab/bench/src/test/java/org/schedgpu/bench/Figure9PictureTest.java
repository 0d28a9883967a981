package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.charts.Palette;

class Figure9PictureTest {
  private static final List<StageTime> TIMES = Fixtures.findings().stages();

  @TempDir Path folder;

  private final Figure9Picture picture = new Figure9Picture(TIMES, "a test");

  @Test
  void everyApproachHasBarsInItsColour() {
    BufferedImage image = picture.sheet().image();
    int legend = 22 * 14;
    assertTrue(pixels(image, Palette.series(0).getRGB()) > legend + 1000);
    assertTrue(pixels(image, Palette.series(1).getRGB()) > legend + 1000);
    assertEquals(0, pixels(image, Palette.series(3).getRGB()));
  }

  private static long pixels(BufferedImage image, int rgb) {
    int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    return Arrays.stream(all).filter(pixel -> pixel == rgb).count();
  }

  private static Figure9Picture.Axis axis(double... timesUs) {
    return Figure9Picture.Axis.of(
        Arrays.stream(timesUs).mapToObj(t -> new StageTime("ours", "total", t, t)).toList());
  }

  /** A bar that begins at its own value is not seen. */
  @Test
  void axisReachesFromBelowTheShortestToAboveTheLongestTime() {
    assertEquals(new Figure9Picture.Axis(0.1, 1000), axis(0.5, 60));
    assertEquals(new Figure9Picture.Axis(0.1, 1000), axis(1, 2));
    assertEquals(new Figure9Picture.Axis(1, 10_000), axis(10, 1000));
    assertEquals(new Figure9Picture.Axis(10, 100_000), axis(99, 10_001));
    assertEquals(new Figure9Picture.Axis(100, 10_000), axis(2000, 3000));
    assertEquals(new Figure9Picture.Axis(100, 1000), axis());
    List<StageTime> spread = List.of(new StageTime("ours", "total", 0.02, 12_345));
    assertEquals(new Figure9Picture.Axis(0.01, 100_000), Figure9Picture.Axis.of(spread));
  }

  @Test
  void timesAreInTheUnitThatSuitsThem() {
    assertEquals(
        List.of("0.1 µs", "100 µs", "1 ms", "100 ms", "1 s"),
        List.of(
            Figure9Picture.time(0.1),
            Figure9Picture.time(100),
            Figure9Picture.time(1000),
            Figure9Picture.time(1e5),
            Figure9Picture.time(1e6)));
  }

  @Test
  void bothFilesAreWritten() throws IOException {
    picture.write(folder);
    assertEquals(1400, ImageIO.read(folder.resolve("figure-9.png").toFile()).getWidth());
    assertTrue(Files.readString(folder.resolve("figure-9.svg")).contains("<svg"));
  }
}
