#pragma once
// Before: Conv -> Add <- Conv        two Conv with kernels of one element: the shortcuts of residual networks
// After:  Concat -> Conv, as added_convs_to_conv and its two variants write it
//
// Conditions: the target computes Conv, Concat, MaxPool and Add in integers. One scale serves the inputs of both Conv,
// because their ranges are within a factor of 4. None of the three nodes is kept in float. No override gives a Conv's
// output its own dtype, the inputs different dtypes, or the weights different forms.
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that merges two added convolutions into one, if the target has integer kernels for all that this needs.
/// Their inputs are concatenated under one scale, so the pass runs after calibrate(). It provides ranges, dtypes and,
/// if present, histograms of the new tensors, taken from the tensors that hold the same values. forms: those of the
/// later quantize_weights(). Throws Error if no pass has provided ranges.
Pass join_added_convs(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1
