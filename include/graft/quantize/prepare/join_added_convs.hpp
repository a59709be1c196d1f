#pragma once
// Before: Conv -> Add <- Conv        two of kernels of one element: the shortcuts of residual networks
// After:  Concat -> Conv, as added_convs_to_conv and its two variants have it
// if the target computes Conv, Concat, MaxPool and Add in integers, one scale serves what the two read, for their
// ranges are within a factor of 4, and nobody wants one of the three nodes otherwise: in float, in other dtypes, with
// weights of other forms.
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that makes one convolution of two that are added, where the target has integer kernels for all that takes:
/// what they read is put side by side under one scale, which is why it comes after calibrate(). Provides ranges,
/// histograms if there are any, and dtypes of the tensors that it makes, from those of the tensors whose values these
/// hold. forms: those of quantize_weights(), which comes later. Throws Error if no pass has provided ranges.
Pass join_added_convs(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/join_added_convs.ipp>
#endif
