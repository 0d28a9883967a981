/** The nodes of the cluster. */
package org.schedgpu.simulator.cluster;
