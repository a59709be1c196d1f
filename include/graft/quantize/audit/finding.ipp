#pragma once
#include <graft/config.hpp>
#include <graft/quantize/audit/finding.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Finding& finding) {
  std::string text = finding.node + " (" + finding.op + "): " + (finding.fused ? "fused" : "not fused");
  if (finding.fused && finding.float_result) text += ", with a float result";
  if (finding.severity == Severity::error) text += ", error";
  if (!finding.text.empty()) text += ": " + finding.text;
  if (!finding.mend.empty()) text += "; " + std::string(finding.mend);
  return text;
}

}  // namespace graft::inline v1
