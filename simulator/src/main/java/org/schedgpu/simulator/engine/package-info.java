/**
 * The engine: events, the cluster's scheduler, computing; memory decisions come from libschedgpu.
 */
package org.schedgpu.simulator.engine;
