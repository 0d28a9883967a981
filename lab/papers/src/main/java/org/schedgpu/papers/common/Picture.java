package org.schedgpu.papers.common;

/**
 * A picture of a part.
 *
 * @param file its name, without a folder
 * @param caption what it shows
 * @param drawing what draws it
 */
public record Picture(String file, String caption, Drawing drawing) {}
