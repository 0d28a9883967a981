package org.schedgpu.bench;

/**
 * What could not be measured.
 *
 * @param why it is not measured
 */
record Unmeasured(String name, String unit, String why) {}
