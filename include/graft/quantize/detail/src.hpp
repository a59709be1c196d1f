#pragma once
// The bodies of quantize/detail/.
#include <graft/quantize/detail/block_products.ipp>
#include <graft/quantize/detail/chosen_units.ipp>
#include <graft/quantize/detail/constant_product.ipp>
#include <graft/quantize/detail/dynamic_inputs.ipp>
#include <graft/quantize/detail/measured_outputs.ipp>
#include <graft/quantize/detail/outputs_on_samples.ipp>
#include <graft/quantize/detail/pair_qparams.ipp>
#include <graft/quantize/detail/product_groups.ipp>
#include <graft/quantize/detail/run_samples.ipp>
#include <graft/quantize/detail/tensor_pairs.ipp>
#include <graft/quantize/detail/typical_sizes.ipp>
#include <graft/quantize/detail/units.ipp>
