/** The metrics of a node for Prometheus: its devices, its queues and the agent itself. */
package org.schedgpu.agent.metrics;
