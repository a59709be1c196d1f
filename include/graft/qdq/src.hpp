#pragma once
// The bodies of qdq/, for header-only use and for one unit of a compiled library.
#include <graft/evaluate.hpp>
#include <graft/rewrite.hpp>

#include <graft/qdq/block_matrix.ipp>
#include <graft/qdq/clipping.ipp>
#include <graft/qdq/gather_to_block_quantized.ipp>
#include <graft/qdq/matmul_to_nbits.ipp>
#include <graft/qdq/qdq.ipp>
#include <graft/qdq/qdq_to_clip.ipp>
#include <graft/qdq/qparams.ipp>
#include <graft/qdq/quantize_tensor.ipp>
#include <graft/qdq/quantized_constant.ipp>
#include <graft/qdq/range.ipp>
#include <graft/qdq/strip_qdq.ipp>
#include <graft/qdq/symmetric_int8.ipp>
