package org.schedgpu.charts;

import java.awt.Color;
import java.util.List;

/**
 * Values over an axis. Immutable.
 *
 * @param name as the legend shows it, unique in its chart
 * @param x ascending; in a chart of time, milliseconds since 1970
 * @param y as many as x; null where nothing is known, and nothing is drawn
 * @param colour of the line
 * @param shape how the values are connected
 * @param dashed whether the line is
 * @param percent whether the values are percentages, by the axis on the right
 */
public record Series(
    String name,
    List<Double> x,
    List<Double> y,
    Color colour,
    Shape shape,
    boolean dashed,
    boolean percent) {

  /** How values are connected. A step lasts until the next value; an area is filled down to 0. */
  public enum Shape {
    LINE,
    STEPS,
    AREA,
    STEP_AREA
  }

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if there are not as many of x as of y
   */
  public Series {
    if (x.size() != y.size()) {
      throw new IllegalArgumentException(
          "charts: series '%s' has %d places and %d values: give one value for each place"
              .formatted(name, x.size(), y.size()));
    }
  }

  /** A line from value to value. */
  public static Series line(String name, List<Double> x, List<Double> y, Color colour) {
    return new Series(name, x, y, colour, Shape.LINE, false, false);
  }

  /** A line of steps. */
  public static Series steps(String name, List<Double> x, List<Double> y, Color colour) {
    return new Series(name, x, y, colour, Shape.STEPS, false, false);
  }

  /** Steps with a filled area below. */
  public static Series area(String name, List<Double> x, List<Double> y, Color colour) {
    return new Series(name, x, y, colour, Shape.STEP_AREA, false, false);
  }

  /** The same, dashed. */
  public Series asDashes() {
    return new Series(name, x, y, colour, shape, true, percent);
  }

  /** The same, by the axis of percentages on the right. */
  public Series asPercent() {
    return new Series(name, x, y, colour, shape, dashed, true);
  }

  /** The same with other values. */
  Series with(List<Double> values, Shape otherShape) {
    return new Series(name, x, values, colour, otherShape, dashed, percent);
  }

  boolean filled() {
    return shape == Shape.AREA || shape == Shape.STEP_AREA;
  }
}
