/** Why requests wait, and when they will be served. */
package org.schedgpu.agent.forecast;
