package org.schedgpu.rest;

/**
 * A partition.
 *
 * @param nodes hostlist
 * @param state such as {@code UP}
 */
public record RestPartition(String name, String nodes, String state) {}
