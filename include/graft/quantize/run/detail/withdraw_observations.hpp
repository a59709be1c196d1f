#pragma once
#include <graft/quantize/calibrate/input_extents.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/facts.hpp>

namespace graft::inline v1::detail {

/// What was seen of another model, or of this one on other samples, may bear the same names.
inline void withdraw_observations(Facts& facts) {
  facts.withdraw<FloatOutcomes>();
  facts.withdraw<ProductForms>();
  facts.withdraw<InputExtents>();
  facts.withdraw<Ranges>();
  facts.withdraw<Statistics<Histogram>>();
  facts.withdraw<Statistics<ChannelMeans>>();
  facts.withdraw<Statistics<ChannelExtremes>>();
  facts.withdraw<Statistics<FeatureMoments>>();
  facts.withdraw<Statistics<GramMatrix>>();
}

}  // namespace graft::inline v1::detail
