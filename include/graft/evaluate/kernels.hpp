#pragma once
// The table of kernels and the standard set. Kernels include only the table.
#include <graft/evaluate/detail/kernel_table.hpp>
