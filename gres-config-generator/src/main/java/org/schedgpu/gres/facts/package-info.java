/** The facts of a node: its devices and CPUs. */
package org.schedgpu.gres.facts;
