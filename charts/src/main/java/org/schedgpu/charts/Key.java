package org.schedgpu.charts;

import java.awt.Color;

/**
 * An entry of a legend.
 *
 * @param colour of what it explains; null for a remark
 * @param text what the colour means
 */
public record Key(Color colour, String text) {}
