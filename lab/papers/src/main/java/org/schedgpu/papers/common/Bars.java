package org.schedgpu.papers.common;

import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.schedgpu.charts.BarChart;
import org.schedgpu.charts.Key;
import org.schedgpu.charts.Palette;

/** Bars beside each other over named places. */
public final class Bars implements Drawing {
  private static final double ABOVE = 1.08;

  private final String title;
  private final String xTitle;
  private final String yTitle;
  private final List<String> places;
  private final List<BarChart.Bars> all = new ArrayList<>();

  /** The titles of the picture and of its axes, with units, and the names below the bars. */
  public Bars(String title, String xTitle, String yTitle, List<String> places) {
    this.title = title;
    this.xTitle = xTitle;
    this.yTitle = yTitle;
    this.places = List.copyOf(places);
  }

  /** A bar for each place. */
  public Bars series(String name, double... values) {
    all.add(
        new BarChart.Bars(
            name, Palette.series(all.size()), Arrays.stream(values).boxed().toList(), null));
    return this;
  }

  @Override
  public BufferedImage draw() {
    double most =
        all.stream().flatMap(bars -> bars.values().stream()).mapToDouble(v -> v).max().orElse(1);
    BarChart chart =
        new BarChart(places, 0, most * ABOVE)
            .axis(yTitle)
            .ticks(value -> Numbers.plain(value, most < 10 ? 1 : 0))
            .noLegend();
    all.forEach(chart::add);
    List<Key> legend = all.stream().map(bars -> new Key(bars.colour(), bars.name())).toList();
    return Frame.image(title, xTitle, chart, legend);
  }
}
