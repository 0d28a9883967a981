/**
 * Reads the state of nodes and jobs from slurmctld, and changes nodes, through scontrol or
 * slurmrestd. It knows nothing of plans.
 */
package org.schedgpu.gres.live;
