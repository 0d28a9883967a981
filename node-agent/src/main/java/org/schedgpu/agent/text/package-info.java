/** Formats for people and programs: sizes, times, names of users, colours, JSON. */
package org.schedgpu.agent.text;
