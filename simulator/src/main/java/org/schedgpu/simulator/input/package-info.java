/** The input: jobs and nodes. */
package org.schedgpu.simulator.input;
