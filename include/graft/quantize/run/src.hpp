#pragma once
// The bodies of quantize/run/.
#include <graft/quantize/run/check_outputs.ipp>
#include <graft/quantize/run/detail/candidate_search.ipp>
#include <graft/quantize/run/detail/candidate_trials.ipp>
#include <graft/quantize/run/detail/direct_quantization.ipp>
#include <graft/quantize/run/detail/judgement.ipp>
#include <graft/quantize/run/detail/outcomes.ipp>
#include <graft/quantize/run/detail/output_check.ipp>
#include <graft/quantize/run/detail/prepared_model.ipp>
#include <graft/quantize/run/detail/random_feeds.ipp>
#include <graft/quantize/run/detail/refinement.ipp>
#include <graft/quantize/run/detail/static_quantization.ipp>
#include <graft/quantize/run/prepare_model.ipp>
#include <graft/quantize/run/quantize.ipp>
