/**
 * How a node gets its region: what the node has, the region that is made of it and of the
 * configuration, and the task that keeps it there.
 */
package org.schedgpu.agent.setup;
