/** {@code schedgpu simulate}. */
package org.schedgpu.simulator.command;
