/** Mode=brokered: the agent serves users' clients, which may not write the region. */
package org.schedgpu.agent.broker;
