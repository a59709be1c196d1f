#pragma once
// Which kernels there are: the table, and the standard set, whose kernels include the table alone.
#include <graft/evaluate/detail/kernel_table.hpp>

#ifndef GRAFT_COMPILED
#include <graft/evaluate/kernels.ipp>
#endif
