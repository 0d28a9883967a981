/*
 * learned_table.h - the files RunDir/learned, with DefaultMem=learned, and learned.persistent: what
 * earlier jobs of a user and name needed (docs/reference/files-and-environment.md). Only here its
 * format is known: the agent writes it through schedgpu/conf_text.h, prolog and plugin read it.
 */
#ifndef SG_LEARNED_TABLE_H
#define SG_LEARNED_TABLE_H

#include <stdint.h>

/**
 * The bytes that a table (enum schedgpu_learned_table) in `run_dir` has for jobs called `name` of
 * `uid`. 0: none, also where the table is missing, invalid, or could have been written by others
 * than root.
 */
uint64_t sg_learned_find(const char *run_dir, uint32_t table, uint32_t uid, const char *name);

#endif
