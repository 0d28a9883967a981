/**
 * How the agent serves a socket, whatever is said there: connections, their limits and deadlines,
 * and the threads that compute answers.
 */
package org.schedgpu.agent.server;
