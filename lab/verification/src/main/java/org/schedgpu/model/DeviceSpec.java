package org.schedgpu.model;

/** A device as it is configured, in bytes. */
public record DeviceSpec(long totalBytes, long reservedBytes, long contextBytes) {}
