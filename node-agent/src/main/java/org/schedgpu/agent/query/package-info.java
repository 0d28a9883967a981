/**
 * What users may see of a node: the agent answers read-only questions on a socket, each user only
 * what is his.
 */
package org.schedgpu.agent.query;
