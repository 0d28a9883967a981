/**
 * What a plan makes of a site's own files: slurm.conf and its includes, cgroup.conf,
 * plugstack.conf.
 *
 * <p>{@link SiteEdits} collects the changes; each rule looks at one thing that the plan touches,
 * changes it or warns of it; {@link MeaningUnchangedCheck} reads the result again and refuses one
 * that would change anything else.
 */
package org.schedgpu.gres.site;
