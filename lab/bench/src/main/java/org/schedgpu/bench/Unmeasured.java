package org.schedgpu.bench;

/**
 * A figure that could not be measured.
 *
 * @param why the reason
 */
record Unmeasured(String name, String unit, String why) {}
