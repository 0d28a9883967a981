package org.schedgpu.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Figure9PictureTest {
  private static final List<StageTime> TIMES = Fixtures.findings().stages();

  @TempDir Path folder;

  private final Figure9Picture picture = new Figure9Picture(TIMES, "a test");

  @Test
  void everyBarIsThereInTheColourOfItsApproach() {
    BufferedImage image = picture.image();
    for (StageTime time : TIMES) {
      Rectangle2D bar = picture.bar(time);
      Color colour = new Color(image.getRGB((int) bar.getX() + 4, (int) bar.getMaxY() - 4));
      assertEquals(Palette.bar(time.approach().equals("ours") ? 0 : 1), colour, time::toString);
      assertTrue(bar.getMinY() > 0 && bar.getMaxY() < image.getHeight(), time::toString);
    }
  }

  @Test
  void barsOfAGroupStandBesideEachOther() {
    for (int i = 1; i < TIMES.size(); i++) {
      Rectangle2D bar = picture.bar(TIMES.get(i));
      Rectangle2D before = picture.bar(TIMES.get(i - 1));
      assertTrue(bar.getMinX() > before.getMaxX());
    }
  }

  @Test
  void longerTakesAreHigher() {
    Rectangle2D longer = picture.bar(TIMES.get(0));
    Rectangle2D shorter = picture.bar(TIMES.get(1));
    assertTrue(longer.getHeight() > shorter.getHeight());
  }

  @Test
  void axisHasRoomForAll() {
    LogAxis axis = LogAxis.of(TIMES.stream().mapToDouble(StageTime::p50Us), 100, 100);
    assertEquals(new LogAxis(-1, 2, 100, 100), axis);
    assertEquals(100, axis.y(0.1));
    assertEquals(0, axis.y(100), 1e-9);
    assertEquals(4, axis.ticks().length);
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
