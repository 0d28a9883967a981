/** What Prometheus is told of a node: numbers of its devices, queues and of the agent itself. */
package org.schedgpu.agent.metrics;
