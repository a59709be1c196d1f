#pragma once
// The bodies of quantize/weights/.
#include <graft/quantize/weights/bias_correction.ipp>
#include <graft/quantize/weights/detail/block_quantizer.ipp>
#include <graft/quantize/weights/detail/block_tables.ipp>
#include <graft/quantize/weights/detail/lookup_tables.ipp>
#include <graft/quantize/weights/embeddings.ipp>
#include <graft/quantize/weights/gptq.ipp>
#include <graft/quantize/weights/quantize_weights_blockwise.ipp>
#include <graft/quantize/weights/weights.ipp>
