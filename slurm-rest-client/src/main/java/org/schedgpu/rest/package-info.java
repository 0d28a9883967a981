/** What schedGPU asks of slurmrestd, whatever version of its API is served. */
package org.schedgpu.rest;
