/** The jobs to simulate. */
package org.schedgpu.simulator.job;
