/** Mode=brokered: the agent serves the clients of users, who may not write the region. */
package org.schedgpu.agent.broker;
