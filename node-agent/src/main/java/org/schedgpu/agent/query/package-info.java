/**
 * Read-only questions of users about a node. The agent answers them on the query socket, and each
 * user sees only what that user may see.
 */
package org.schedgpu.agent.query;
