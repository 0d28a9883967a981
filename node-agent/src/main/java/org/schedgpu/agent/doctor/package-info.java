/** {@code schedgpu doctor}: which parts that sharing needs are missing on this node. */
package org.schedgpu.agent.doctor;
