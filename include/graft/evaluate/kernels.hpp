#pragma once
// The table of kernels and the standard set. Kernels include only the table.
#include <graft/evaluate/detail/kernel_table.hpp>

#ifndef GRAFT_COMPILED
#include <graft/evaluate/kernels.ipp>
#endif
