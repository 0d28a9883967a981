/** The jobs that are played. */
package org.schedgpu.simulator.job;
