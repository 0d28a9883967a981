/**
 * What the agent does again and again: tasks, the loop that calls each of them when it is due,
 * those that look after the region itself, and the lock that makes this agent the only one.
 */
package org.schedgpu.agent.task;
