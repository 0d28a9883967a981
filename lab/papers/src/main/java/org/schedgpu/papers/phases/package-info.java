/**
 * Programs that take and free device memory several times: every step of a few jobs on one device,
 * where {@code schedgpu simulate} plays one reservation for each of a million jobs. Memory is
 * libschedgpu's.
 */
package org.schedgpu.papers.phases;
