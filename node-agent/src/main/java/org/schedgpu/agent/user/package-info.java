/** Which user ids are one user: the subordinate ids of rootless containers. */
package org.schedgpu.agent.user;
