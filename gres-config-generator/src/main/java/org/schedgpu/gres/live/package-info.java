/**
 * What slurmctld believes of nodes and jobs, and how it is told: through scontrol or slurmrestd. It
 * knows nothing of plans.
 */
package org.schedgpu.gres.live;
