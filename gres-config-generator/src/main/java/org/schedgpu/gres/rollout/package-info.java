/**
 * Changes the GPU counts of a running cluster without ending a job: drain, wait, change, restart,
 * verify, resume.
 *
 * <p>{@link org.schedgpu.gres.rollout.Decision} is pure: from what is written down and what is seen
 * it says the next step, so a run that was ended anywhere goes on from there. {@link
 * org.schedgpu.gres.rollout.Rollout} carries the steps out.
 */
package org.schedgpu.gres.rollout;
