#pragma once
#define GRAFT_UMBRELLA
#include <graft/graph.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/qdq/clipping.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/gather_to_block_quantized.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/matmul_to_nbits.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qdq_to_clip.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/quantize_data.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/qdq/range.hpp>
#include <graft/qdq/strip_qdq.hpp>
#include <graft/qdq/symmetric_int8.hpp>

#ifndef GRAFT_COMPILED
#include <graft/qdq/src.hpp>
#endif
