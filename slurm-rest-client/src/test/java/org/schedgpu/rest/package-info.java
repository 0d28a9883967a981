/** The client against WireMock, and against a UNIX socket of our own. */
package org.schedgpu.rest;
