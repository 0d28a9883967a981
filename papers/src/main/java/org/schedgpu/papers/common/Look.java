package org.schedgpu.papers.common;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.Locale;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/** How all charts look. */
final class Look {
  private static final int FONT = 13;

  private Look() {}

  static void of(AxesChartStyler styler) {
    styler.setLocale(Locale.ENGLISH);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartFontColor(Style.TEXT);
    styler.setChartTitleFont(Style.bold(FONT + 3));
    styler.setChartTitleBoxVisible(false);
    styler.setChartPadding(10);
    styler.setAxisTitleFont(Style.plain(FONT));
    styler.setAxisTickLabelsFont(Style.plain(FONT - 1));
    styler.setAxisTickLabelsColor(Style.FAINT);
    styler.setPlotBorderVisible(false);
    styler.setPlotGridLinesColor(Style.LINE);
    styler.setPlotGridLinesStroke(new BasicStroke(1));
    styler.setPlotGridVerticalLinesVisible(false);
    styler.setLegendPosition(Styler.LegendPosition.OutsideS);
    styler.setLegendLayout(Styler.LegendLayout.Horizontal);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendFont(Style.plain(FONT));
    styler.setDecimalPattern("#,##0.###");
  }
}
