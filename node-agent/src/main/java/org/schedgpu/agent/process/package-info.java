/** Processes of the node, as /proc shows them, and the job that each belongs to. */
package org.schedgpu.agent.process;
