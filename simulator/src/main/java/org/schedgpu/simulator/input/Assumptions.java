package org.schedgpu.simulator.input;

/**
 * What the input does not know, as the user said it.
 *
 * @param deviceBytes memory of a job on each of its devices, without its context
 * @param busyPermille how much of its time a job keeps each of its GPUs busy
 */
public record Assumptions(long deviceBytes, int busyPermille) {}
