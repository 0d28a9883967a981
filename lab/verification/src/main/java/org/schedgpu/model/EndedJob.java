package org.schedgpu.model;

/** A job that ended; its statistics do not change any more. */
public record EndedJob(long id, JobStatistics statistics, long endedNs) {}
