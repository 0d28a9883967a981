/** The history: jobs that ended on this node, and what devices and jobs used, in an SQLite file. */
package org.schedgpu.agent.history;
