/**
 * The log of the agent: the format of its lines for the journal or a terminal, and problems that
 * are logged once instead of each time.
 */
package org.schedgpu.agent.log;
