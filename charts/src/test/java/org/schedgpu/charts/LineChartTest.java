package org.schedgpu.charts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LineChartTest {
  private static final List<Double> X = List.of(0., 1., 2., 3.);

  private static BufferedImage image(LineChart chart) {
    return new Sheet(400, 300).chart(chart.noLegend(), 0, 0, 400, 300).image();
  }

  private static long pixels(BufferedImage image, Color colour) {
    int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    return Arrays.stream(all).filter(pixel -> pixel == colour.getRGB()).count();
  }

  private static int firstRow(BufferedImage image, Color colour) {
    return IntStream.range(0, image.getHeight())
        .filter(
            y ->
                IntStream.range(0, image.getWidth())
                    .anyMatch(x -> image.getRGB(x, y) == colour.getRGB()))
        .findFirst()
        .orElse(-1);
  }

  @Test
  void aChartWithoutValuesIsAnEmptyGrid() {
    BufferedImage image = image(new LineChart().x(0, 3).y(0, 10));
    assertTrue(400 * 300 - pixels(image, Color.WHITE) > 2000, "no grid");
    List<Double> unknown = Arrays.asList(null, null, null, null);
    BufferedImage same =
        image(new LineChart().x(0, 3).y(0, 10).add(Series.line("a", X, unknown, Palette.BLUE)));
    assertEquals(0, pixels(same, Palette.BLUE));
  }

  @Test
  void nothingIsDrawnWhereNothingIsKnown() {
    List<Double> full = List.of(5., 5., 5., 5.);
    List<Double> gap = Arrays.asList(5., 5., null, 5.);
    long whole = pixels(image(one(full)), Palette.BLUE);
    long broken = pixels(image(one(gap)), Palette.BLUE);
    assertTrue(broken > 0 && broken < whole / 2, broken + " of " + whole);
  }

  private static LineChart one(List<Double> values) {
    return new LineChart().x(0, 3).y(0, 10).add(Series.line("a", X, values, Palette.BLUE));
  }

  @Test
  void stackedAreasStandOnEachOther() {
    List<Double> four = List.of(4., 4., 4., 4.);
    BufferedImage image =
        image(
            new LineChart()
                .x(0, 3)
                .y(0, 8)
                .stack(
                    List.of(
                        Series.area("below", X, four, Palette.BLUE),
                        Series.area("above", X, four, Palette.ORANGE))));
    long below = pixels(image, Palette.BLUE);
    long above = pixels(image, Palette.ORANGE);
    assertTrue(below > 20_000 && Math.abs(below - above) < below / 10, below + " " + above);
    assertTrue(firstRow(image, Palette.ORANGE) < firstRow(image, Palette.BLUE));
  }

  @Test
  void percentagesHaveAnAxisOfTheirOwn() {
    List<Double> most = List.of(100., 100., 100., 100.);
    LineChart chart =
        one(List.of(8., 8., 8., 8.)).add(Series.line("b", X, most, Palette.ORANGE).asPercent());
    BufferedImage image = image(chart);
    assertTrue(firstRow(image, Palette.ORANGE) < firstRow(image, Palette.BLUE));
  }

  @Test
  void timeIsShownInTheZoneGiven() {
    BufferedImage berlin = day("Europe/Berlin");
    BufferedImage utc = day("UTC");
    assertTrue(Arrays.hashCode(row(berlin)) != Arrays.hashCode(row(utc)));
  }

  private static BufferedImage day(String zone) {
    double start = 1.7e12;
    return image(
        new LineChart()
            .time(
                Instant.ofEpochMilli((long) start),
                Instant.ofEpochMilli((long) start + 86_400_000),
                ZoneId.of(zone))
            .y(0, 1)
            .add(Series.steps("a", List.of(start, start + 8e7), List.of(1., 0.), Palette.BLUE)));
  }

  private static int[] row(BufferedImage image) {
    return image.getRGB(0, 270, image.getWidth(), 30, null, 0, image.getWidth());
  }

  @Test
  void anAxisHasItsName() {
    List<Double> fives = List.of(5., 5., 5., 5.);
    BufferedImage without = image(one(fives));
    BufferedImage with = image(one(fives).axes("", "GiB"));
    assertTrue(pixels(with, Palette.BLUE) < pixels(without, Palette.BLUE), "no room for a name");
  }

  @Test
  void aSeriesNeedsAValueForEachPlace() {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Series.line("memory", X, List.of(1.), Palette.BLUE));
    assertEquals(
        "charts: series 'memory' has 4 places and 1 values: give one value for each place",
        e.getMessage());
  }

  @Test
  void aBoundIsDrawnAtItsValue() {
    BufferedImage low = image(one(List.of(9., 9., 9., 9.)).bound(2, "limit", 1));
    BufferedImage high = image(one(List.of(9., 9., 9., 9.)).bound(8, "limit", 1));
    assertTrue(firstRow(high, Palette.RED) < firstRow(low, Palette.RED));
  }
}
