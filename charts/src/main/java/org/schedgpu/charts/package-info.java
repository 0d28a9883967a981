/**
 * Draws the pictures of the demo, the bench, the report and the pages. XChart draws axes, lines and
 * bars; a {@link org.schedgpu.charts.Sheet} places charts and texts and writes the file. Needs a
 * font, and no display.
 */
package org.schedgpu.charts;
