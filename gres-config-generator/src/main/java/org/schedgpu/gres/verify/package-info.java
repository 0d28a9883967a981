/**
 * Compares the plan with the existing files, with slurmctld's state of the nodes, and with what a
 * job finds on the node. Changes nothing.
 */
package org.schedgpu.gres.verify;
