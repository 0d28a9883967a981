/**
 * What schedGPU costs. The measurements in C are made by the harness (native/); this package runs
 * it, measures what Java does, compares with the targets, and draws the paper's Figure 9.
 */
package org.schedgpu.bench;
