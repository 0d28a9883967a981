/** {@code schedgpu doctor}: what is missing on this node, of all that sharing needs. */
package org.schedgpu.agent.doctor;
