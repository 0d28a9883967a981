/** What a node has: its devices and CPUs. */
package org.schedgpu.gres.facts;
