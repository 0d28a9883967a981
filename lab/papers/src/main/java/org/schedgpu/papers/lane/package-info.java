/**
 * Lanes on one device, at the level of iterations: the rules of Salus (NSDI 2019 submission, MLSys
 * 2020; sections 3 and 4, Algorithm 1) as schedGPU has them. Jobs keep their persistent memory on
 * the device and take turns with one space for their ephemeral memory, the lane. Events only, no
 * clock of the machine: the same jobs give the same outcome.
 */
package org.schedgpu.papers.lane;
