/**
 * The changes of a plan to a site's own files: slurm.conf and its includes, cgroup.conf,
 * plugstack.conf.
 *
 * <p>{@link SiteEdits} collects the changes. Each rule handles one subject that the plan touches,
 * and changes it or warns of it. {@link MeaningUnchangedCheck} reads the result again and refuses
 * one that would change anything else.
 */
package org.schedgpu.gres.site;
