/**
 * How a node gets its region: the facts of the node, the region made from them and the
 * configuration, and the task that maintains it.
 */
package org.schedgpu.agent.setup;
