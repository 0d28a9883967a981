package org.schedgpu.model;

/** A job that ended; its past does not change any more. */
public record Ended(long id, Past past, long endedNs) {}
