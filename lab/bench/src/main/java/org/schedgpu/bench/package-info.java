/**
 * Measures what schedGPU costs. The harness (native/) measures the C code; this package runs it,
 * measures the Java code, compares the results with the targets, and draws the paper's Figure 9.
 */
package org.schedgpu.bench;
