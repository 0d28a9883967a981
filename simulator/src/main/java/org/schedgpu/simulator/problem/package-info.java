/** How failures are told. */
package org.schedgpu.simulator.problem;
