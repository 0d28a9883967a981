/**
 * Changes the GPU counts of a running cluster without ending a job: drain, wait, change, restart,
 * verify, resume.
 *
 * <p>{@link org.schedgpu.gres.rollout.Decision} is a pure function: it chooses the next step from
 * the record and the state of the cluster, so an interrupted run can continue from any point.
 * {@link org.schedgpu.gres.rollout.Rollout} carries the steps out.
 */
package org.schedgpu.gres.rollout;
