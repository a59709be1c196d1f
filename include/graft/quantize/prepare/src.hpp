#pragma once
// The bodies of quantize/prepare/.
#include <graft/quantize/prepare/bound_masks.ipp>
#include <graft/quantize/prepare/dead_channels.ipp>
#include <graft/quantize/prepare/equalization.ipp>
#include <graft/quantize/prepare/float_islands.ipp>
#include <graft/quantize/prepare/huge_weights.ipp>
#include <graft/quantize/prepare/input_scales.ipp>
#include <graft/quantize/prepare/join_added_convs.ipp>
#include <graft/quantize/prepare/keep_compositions_in_float.ipp>
#include <graft/quantize/prepare/longer_branches.ipp>
#include <graft/quantize/prepare/name_normalizations.ipp>
#include <graft/quantize/prepare/nan_inputs.ipp>
#include <graft/quantize/prepare/smoothing.ipp>
