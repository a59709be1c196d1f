#pragma once
// The bodies of quantize/dynamic/.
#include <graft/quantize/dynamic/detail/dynamic_operators.ipp>
#include <graft/quantize/dynamic/detail/dynamic_quantizer.ipp>
#include <graft/quantize/dynamic/quantize_dynamic.ipp>
