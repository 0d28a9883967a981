package org.schedgpu.charts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BarChartTest {
  private static final List<String> GROUPS = List.of("first", "second");

  @TempDir Path folder;

  private static Sheet sheet(BarChart chart) {
    return new Sheet(400, 300).chart(chart.noLegend(), 0, 0, 400, 300);
  }

  /** The lengths of the bars of a colour, from left to right. */
  private static int[] heights(BufferedImage image, Color colour) {
    int[] columns =
        IntStream.range(0, image.getWidth())
            .map(
                x ->
                    (int)
                        IntStream.range(0, image.getHeight())
                            .filter(y -> image.getRGB(x, y) == colour.getRGB())
                            .count())
            .toArray();
    return IntStream.range(1, columns.length)
        .filter(x -> columns[x] > 0 && columns[x - 1] == 0)
        .map(x -> columns[x + 4])
        .toArray();
  }

  @Test
  void aPowerOfTenIsTheSameHeightOnALogarithmicAxis() {
    BufferedImage image =
        sheet(
                new BarChart(GROUPS, 1, 1000)
                    .logarithmic()
                    .add(new BarChart.Bars("a", Palette.BLUE, List.of(10., 100.))))
            .image();
    int[] heights = heights(image, Palette.BLUE);
    assertEquals(2, heights.length);
    assertTrue(Math.abs(heights[1] - 2 * heights[0]) <= 4, Arrays.toString(heights));
  }

  @Test
  void aMissingValueHasNoBar() {
    BufferedImage image =
        sheet(
                new BarChart(GROUPS, 0, 10)
                    .add(new BarChart.Bars("a", Palette.BLUE, Arrays.asList(null, 5.)))
                    .add(new BarChart.Bars("b", Palette.ORANGE, List.of(5., 5.))))
            .image();
    assertEquals(1, heights(image, Palette.BLUE).length);
    assertEquals(2, heights(image, Palette.ORANGE).length);
  }

  @Test
  void whiskersEndAtTheirValue() {
    int none = faintAbove(null);
    int some = faintAbove(List.of(9., 9.));
    assertTrue(some > none + 50, none + " " + some);
  }

  private static int faintAbove(List<Double> whiskers) {
    BufferedImage image =
        sheet(
                new BarChart(GROUPS, 0, 10)
                    .add(new BarChart.Bars("a", Palette.BLUE, List.of(2., 2.), whiskers)))
            .image();
    return (int)
        IntStream.range(0, 200 * 400)
            .map(i -> image.getRGB(i % 400, i / 400))
            .filter(rgb -> rgb != Palette.GRID.getRGB() && rgb != -1)
            .count();
  }

  @Test
  void whatIsBelowZeroHangsFromIt() {
    BufferedImage image =
        sheet(new BarChart(GROUPS).add(new BarChart.Bars("a", Palette.BLUE, List.of(10., -10.))))
            .image();
    int[] heights = heights(image, Palette.BLUE);
    assertEquals(2, heights.length);
    assertTrue(Math.abs(heights[1] - heights[0]) <= 3, Arrays.toString(heights));
  }

  @Test
  void barsThatOverlapStandAtOnePlace() {
    BarChart chart =
        new BarChart(GROUPS)
            .overlapped()
            .add(new BarChart.Bars("a", Palette.BLUE, Arrays.asList(10., null)))
            .add(new BarChart.Bars("b", Palette.ORANGE, Arrays.asList(null, 10.)));
    BufferedImage image = sheet(chart).image();
    BufferedImage alone =
        sheet(new BarChart(GROUPS).add(new BarChart.Bars("a", Palette.BLUE, List.of(10., 10.))))
            .image();
    assertEquals(area(alone, Palette.BLUE), 2 * area(image, Palette.BLUE), 400);
    assertEquals(area(image, Palette.BLUE), area(image, Palette.ORANGE), 400);
  }

  private static double area(BufferedImage image, Color colour) {
    return IntStream.range(0, 300 * 400)
        .filter(i -> image.getRGB(i % 400, i / 400) == colour.getRGB())
        .count();
  }

  @Test
  void anIntervalIsInTheRange() {
    BarChart.Bars bars =
        new BarChart.Bars("a", Palette.BLUE, List.of(5., 5.))
            .between(List.of(1., 1.), List.of(20., 20.));
    BufferedImage with = sheet(new BarChart(GROUPS).add(bars)).image();
    BufferedImage without =
        sheet(new BarChart(GROUPS).add(new BarChart.Bars("a", Palette.BLUE, List.of(5., 5.))))
            .image();
    assertTrue(area(with, Palette.BLUE) < area(without, Palette.BLUE) / 2);
  }

  @Test
  void thereMustBeAValueForEachCategory() {
    BarChart.Bars bars = new BarChart.Bars("a", Palette.BLUE, List.of(1.));
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> new BarChart(GROUPS, 0, 10).add(bars));
    assertTrue(e.getMessage().startsWith("charts: bars 'a' have 1 values: give one"));
  }

  @Test
  void pictureIsPngAndSvg() throws IOException {
    Sheet sheet =
        sheet(
            new BarChart(GROUPS, 0, 10).add(new BarChart.Bars("a", Palette.BLUE, List.of(1., 2.))));
    sheet.head("A title", "what it is", 10).writePng(folder.resolve("a.png"));
    sheet.writeSvg(folder.resolve("a.svg"));
    assertEquals(400, ImageIO.read(folder.resolve("a.png").toFile()).getWidth());
    assertTrue(Files.readString(folder.resolve("a.svg")).contains("A title"));
  }
}
