/**
 * The log of the agent: its lines for the journal or a terminal, and problems that are told once
 * instead of each time.
 */
package org.schedgpu.agent.log;
