#pragma once
#define GRAFT_UMBRELLA
#include <graft/rewrite.hpp>
#include <graft/transformer/fuse/attention.hpp>
#include <graft/transformer/fuse/embed_layer_normalization.hpp>
#include <graft/transformer/fuse/gelu.hpp>
#include <graft/transformer/fuse/heads.hpp>
#include <graft/transformer/fuse/layer_normalization.hpp>
#include <graft/transformer/fuse/normalization_operands.hpp>
#include <graft/transformer/fuse/partial_rotary_embedding.hpp>
#include <graft/transformer/fuse/projections.hpp>
#include <graft/transformer/fuse/rotary_embedding.hpp>
#include <graft/transformer/fuse/scores.hpp>
#include <graft/transformer/fuse/shape.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>
#include <graft/transformer/fused_operators.hpp>
#include <graft/transformer/rules.hpp>
#include <graft/transformer/transformer_fusions.hpp>

#ifndef GRAFT_COMPILED
#include <graft/transformer/src.hpp>
#endif
