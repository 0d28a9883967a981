/**
 * What the agent remembers: jobs that ended on this node, and what devices and jobs used, in a file
 * of SQLite.
 */
package org.schedgpu.agent.history;
