#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace graft::inline v1::detail {

/// The same text in static storage, for a Reason. Use it for names that are not operators or attributes of ONNX; rules
/// have few of them.
inline std::string_view kept_text(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> kept;
  const std::lock_guard lock(mutex);
  return *kept.insert(text).first;
}

}  // namespace graft::inline v1::detail
