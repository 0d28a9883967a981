package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The administrator's commands and limits; kept, so that {@code --continue} needs none of them.
 * {@code %n} in a command is a node's name; a command for nodes without it is run once.
 *
 * @param restartSlurmctld null: the administrator does it
 * @param restartSlurmd null: the administrator does it
 * @param distribute brings the files to a node; null: none is needed
 * @param waitForJobsS seconds to wait for GPU jobs; null: for ever
 * @param restartLimitS seconds that a daemon has to be there again, from 1
 * @param commandLimitS seconds that a command may take, from 1
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
