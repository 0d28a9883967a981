/**
 * The size of a CUDA context on each kind of device: measured from running programs, stored in a
 * file, and accepted within bounds.
 */
package org.schedgpu.agent.context;
