/*
 * learned_table.h - the file RunDir/learned, with DefaultMem=learned: what earlier jobs of a user
 * and name needed (docs/reference/files-and-environment.md). Only here its format is known: the
 * agent writes it through schedgpu/conf_text.h, prolog and plugin read it.
 */
#ifndef SG_LEARNED_TABLE_H
#define SG_LEARNED_TABLE_H

#include <stdint.h>

/**
 * The budget, in bytes, that the table in `run_dir` has for jobs called `name` of `uid`. 0: none,
 * also where the table is missing, invalid, or could have been written by others than root.
 */
uint64_t sg_learned_find(const char *run_dir, uint32_t uid, const char *name);

#endif
