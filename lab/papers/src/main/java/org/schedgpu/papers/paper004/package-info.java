/** Paper 004: Salus, jobs that take turns with lanes of one device. */
package org.schedgpu.papers.paper004;
