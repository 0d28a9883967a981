/** Which user ids belong to one user: the subordinate ids of rootless containers. */
package org.schedgpu.agent.user;
