/** The results in numbers. */
package org.schedgpu.simulator.result;
