/**
 * A new GPU count on a cluster that runs: drain, wait, change, restart, verify, resume, without
 * ending a job.
 *
 * <p>{@link org.schedgpu.gres.rollout.Decision} is pure: from what is written down and what is seen
 * it says the next step, so a run that was ended anywhere goes on from there. {@link
 * org.schedgpu.gres.rollout.Rollout} carries the steps out.
 */
package org.schedgpu.gres.rollout;
