/** What is read: jobs and nodes. */
package org.schedgpu.simulator.input;
