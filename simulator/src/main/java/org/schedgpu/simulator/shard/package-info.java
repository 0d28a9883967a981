/** A sweep in parts, which are played by the tasks of a job array. */
package org.schedgpu.simulator.shard;
