package org.schedgpu.bench;

/** What one stage of the life cycle takes under one of the approaches. */
record StageTime(String approach, String stage, double p50Us, double p99Us) {}
