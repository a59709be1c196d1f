#pragma once
// The bodies of quantize/audit/.
#include <graft/quantize/audit/audit.ipp>
#include <graft/quantize/audit/expected_time.ipp>
