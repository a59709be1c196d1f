#pragma once
// The bodies of quantize/place/.
#include <graft/quantize/place/activation_dtypes.ipp>
#include <graft/quantize/place/bias.ipp>
#include <graft/quantize/place/choose_forms_by_cost.ipp>
#include <graft/quantize/place/choose_one_form.ipp>
#include <graft/quantize/place/commutation.ipp>
#include <graft/quantize/place/commute.ipp>
#include <graft/quantize/place/commute_deferred.ipp>
#include <graft/quantize/place/commute_lone.ipp>
#include <graft/quantize/place/placement.ipp>
#include <graft/quantize/place/widen_activations.ipp>
