/** Access of the agent and its commands to the region of a node, and what each job holds of it. */
package org.schedgpu.agent.region;
