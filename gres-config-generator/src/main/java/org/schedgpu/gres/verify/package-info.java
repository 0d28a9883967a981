/**
 * Compares what was planned with the files in place, with what slurmctld believes, and with what a
 * job finds on the node. Changes nothing.
 */
package org.schedgpu.gres.verify;
