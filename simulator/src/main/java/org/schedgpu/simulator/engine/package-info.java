/** The engine: events, the cluster's scheduler, computing; memory is libschedgpu's. */
package org.schedgpu.simulator.engine;
