/** What a container of a job needs, as arguments of container runtimes. */
package org.schedgpu.agent.container;
