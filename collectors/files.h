/* Open files of processes and their limit. */
#ifndef ND_FILES_H
#define ND_FILES_H

#include "engine/core/fact.h"

extern const struct nd_fact_def nd_files_facts[]; /* ends with name NULL */

#endif
