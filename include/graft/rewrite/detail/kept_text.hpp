#pragma once
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace graft::inline v1::detail {

/// The same text for the rest of the program, as a Reason wants it: for what names no operator or attribute of ONNX, of
/// which rules have few.
inline std::string_view kept_text(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> kept;
  const std::lock_guard lock(mutex);
  return *kept.insert(text).first;
}

}  // namespace graft::inline v1::detail
