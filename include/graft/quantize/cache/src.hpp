#pragma once
// The bodies of quantize/cache/.
#include <graft/quantize/cache/quantize_cache.ipp>
