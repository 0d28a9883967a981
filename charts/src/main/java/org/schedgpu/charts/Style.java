package org.schedgpu.charts;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.Locale;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** How all charts look: a thin grid, no frame, the legend below. */
final class Style {
  private static final int FONT_SIZE = 12;

  /** At exactly 1, XChart draws no tick at either end. */
  private static final double NEARLY_ALL = 0.999;

  /** Ticks of the axis of x are nearly so far apart, in pixels. */
  static final int TICK_DISTANCE = 90;

  private Style() {}

  static void apply(AxesChartStyler styler) {
    styler.setPlotGridLinesColor(Palette.GRID);
    styler.setPlotGridLinesStroke(new BasicStroke(1));
    styler.setAxisTickLabelsFont(Palette.plain(FONT_SIZE));
    styler.setAxisTickLabelsColor(Palette.FAINT);
    styler.setAxisTitleFont(Palette.plain(FONT_SIZE));
    styler.setAxisTicksLineVisible(false);
    styler.setAxisTicksMarksVisible(false);
    styler.setXAxisTitleColor(Palette.FAINT);
    styler.setYAxisTitleColor(Palette.FAINT);
    styler.setPlotMargin(0);
    styler.setPlotContentSize(NEARLY_ALL);
    styler.setPlotBorderVisible(false);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartPadding(6);
    styler.setChartTitleFont(Palette.bold(14));
    styler.setChartFontColor(Palette.TEXT);
    styler.setLocale(Locale.ENGLISH);
    styler.setLegendPosition(Styler.LegendPosition.OutsideS);
    styler.setLegendLayout(Styler.LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendFont(Palette.plain(FONT_SIZE));
    styler.setLegendPadding(4);
  }

  static BasicStroke line(boolean dashed) {
    float[] dashes = {6, 4};
    return dashed
        ? new BasicStroke(1.6f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_BEVEL, 10, dashes, 0)
        : new BasicStroke(1.6f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
  }
}
