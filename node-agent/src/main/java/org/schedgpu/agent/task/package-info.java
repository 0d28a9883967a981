/**
 * The periodic tasks of the agent: the loop that calls each task when it is due, the tasks that
 * maintain the region itself, and the lock that allows one agent for each run directory.
 */
package org.schedgpu.agent.task;
