#pragma once
#include <graft/transformer/fuse/attention.hpp>
#include <graft/transformer/fuse/batched_transpose.hpp>
#include <graft/transformer/fuse/expand_attention_masks.hpp>
#include <graft/transformer/fuse/rotary_embedding.hpp>
#include <graft/transformer/fused_operators.hpp>
