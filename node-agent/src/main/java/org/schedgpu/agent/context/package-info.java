/**
 * What a CUDA context takes of each kind of device: measured at running programs, kept in a file,
 * and believed within bounds.
 */
package org.schedgpu.agent.context;
