/** Why requests wait, and when the core will serve them. */
package org.schedgpu.agent.forecast;
