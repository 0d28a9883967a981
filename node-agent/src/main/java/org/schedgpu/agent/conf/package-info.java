/** The administrator's files: schedgpu.conf with all its keys, and devices.conf. */
package org.schedgpu.agent.conf;
