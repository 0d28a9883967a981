/** Failures as messages. */
package org.schedgpu.simulator.problem;
