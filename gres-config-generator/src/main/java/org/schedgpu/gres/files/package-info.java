/** Slurm's files and ours as a plan reads and writes them. */
package org.schedgpu.gres.files;
