package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.query.Principal;

class ReportPictureTest {
  private static final BusyNode NODE = BusyNode.ofADay();

  private static BufferedImage picture(String job) throws IOException {
    Window window = job == null ? NODE.window() : new Window(0, NODE.window().untilNs());
    ReportRequest request =
        new ReportRequest(
            "gpu1", "UTC", NODE.window().untilNs(), window, null, job, Principal.root(), Map.of());
    byte[] png = ReportPicture.png(new ReportBuilder(NODE, request, 1000).build());
    return ImageIO.read(new ByteArrayInputStream(png));
  }

  /** How many points of a row are nearly of this colour. */
  private static long like(BufferedImage image, int y, int red, int green, int blue) {
    return IntStream.range(0, image.getWidth())
        .map(x -> image.getRGB(x, y))
        .filter(
            rgb ->
                Math.abs((rgb >> 16 & 255) - red) < 12
                    && Math.abs((rgb >> 8 & 255) - green) < 12
                    && Math.abs((rgb & 255) - blue) < 12)
        .count();
  }

  @Test
  void memoryIsDrawnForEachDeviceWithoutADisplay() throws IOException {
    BufferedImage image = picture(null);
    assertEquals(1200, image.getWidth());
    assertTrue(Boolean.getBoolean("java.awt.headless"));
    // At the foot of both charts of memory nearly everything is in use.
    for (int device = 0; device < 2; device++) {
      int foot = 226 + device * (34 + 270 + 180) + 34 + 270 - 62;
      long used = like(image, foot, 0x66, 0x97, 0xcd);
      assertTrue(used > 400, "device " + device + ": " + used + " points of memory in use");
    }
  }

  @Test
  void aJobHasAPictureToo() throws IOException {
    assertTrue(picture("slurm:4010").getHeight() > 300);
  }
}
