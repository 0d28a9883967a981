/** What came out, in numbers. */
package org.schedgpu.simulator.result;
