/** Slurm's files and those of schedGPU, as a plan reads and writes them. */
package org.schedgpu.gres.files;
