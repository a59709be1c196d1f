#pragma once
// The bodies of quantize/tune/.
#include <graft/quantize/tune/analyze.ipp>
#include <graft/quantize/tune/choose_forms_by_error.ipp>
#include <graft/quantize/tune/choose_weight_bits.ipp>
#include <graft/quantize/tune/detail/fewest_in_float.ipp>
#include <graft/quantize/tune/detail/frontier.ipp>
#include <graft/quantize/tune/detail/graph_difference.ipp>
#include <graft/quantize/tune/detail/layer_ranking.ipp>
#include <graft/quantize/tune/detail/noise_share.ipp>
#include <graft/quantize/tune/detail/requantizer.ipp>
#include <graft/quantize/tune/detail/trial_runs.ipp>
#include <graft/quantize/tune/fidelity.ipp>
#include <graft/quantize/tune/keep_fewest_in_float.ipp>
#include <graft/quantize/tune/layer_trials.ipp>
#include <graft/quantize/tune/nearest_ranges.ipp>
#include <graft/quantize/tune/refine_ranges.ipp>
#include <graft/quantize/tune/signal_to_noise.ipp>
