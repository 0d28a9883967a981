package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The administrator's commands and limits. They are stored, so that {@code --continue} does not
 * need them again. {@code %n} in a command is the name of a node; a command for nodes without
 * {@code %n} runs once.
 *
 * @param restartSlurmctld null if the administrator restarts it
 * @param restartSlurmd null if the administrator restarts it
 * @param distribute copies the files to a node; null if not needed
 * @param waitForJobsS seconds to wait for GPU jobs; null: wait forever
 * @param restartLimitS seconds within which a daemon must run again, at least 1
 * @param commandLimitS seconds that a command may run, at least 1
 * @param rest slurmrestd's address, or null
 */
public record Commands(
    String restartSlurmctld,
    String restartSlurmd,
    String distribute,
    Long waitForJobsS,
    @JsonProperty(required = true) long restartLimitS,
    @JsonProperty(required = true) long commandLimitS,
    String rest) {}
