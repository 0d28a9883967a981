package org.schedgpu.gpucheck;

import java.util.List;
import java.util.Locale;

/** Draws into a picture in SVG. Lengths are pixels, from the upper left corner. */
final class Svg {
  private final StringBuilder body = new StringBuilder();

  /** Where a text is in relation to its point. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  void text(double x, double y, double size, Anchor anchor, String color, String text) {
    body.append(
        "<text x=\"%s\" y=\"%s\" font-size=\"%s\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n"
            .formatted(
                number(x),
                number(y),
                number(size),
                anchor.name().toLowerCase(Locale.ROOT),
                color,
                escaped(text)));
  }

  void box(double x, double y, double width, double height, String color) {
    body.append(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n"
            .formatted(number(x), number(y), number(Math.max(0, width)), number(height), color));
  }

  void line(double x1, double y1, double x2, double y2, double width, String color) {
    body.append(
        "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke-width=\"%s\" stroke=\"%s\"/>\n"
            .formatted(number(x1), number(y1), number(x2), number(y2), number(width), color));
  }

  /** A curve through points, x and y in turn. */
  void curve(List<Double> points, double width, String color) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i + 1 < points.size(); i += 2) {
      list.append(number(points.get(i))).append(',').append(number(points.get(i + 1))).append(' ');
    }
    body.append(
        "<polyline points=\"%s\" fill=\"none\" stroke-width=\"%s\" stroke=\"%s\"/>\n"
            .formatted(list.toString().strip(), number(width), color));
  }

  /** The whole picture, on a white ground. */
  String picture(double width, double height) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$s %2$s" width="%1$s" height="%2$s" \
    font-family="DejaVu Sans, Helvetica, Arial, sans-serif">
    <rect width="%1$s" height="%2$s" fill="white"/>
    %3$s</svg>
    """
        .formatted(number(width), number(height), body);
  }
}
