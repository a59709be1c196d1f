#pragma once
#include <graft/transformer/fuse/attention.hpp>
#include <graft/transformer/fuse/batched_transpose.hpp>
#include <graft/transformer/fused_operators.hpp>
