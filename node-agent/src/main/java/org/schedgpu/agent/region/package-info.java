/** The region of a node as the agent and its commands reach it, and who holds what of it. */
package org.schedgpu.agent.region;
