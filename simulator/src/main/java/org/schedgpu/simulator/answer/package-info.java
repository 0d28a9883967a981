/** The answer as a table, a page and a picture. */
package org.schedgpu.simulator.answer;
