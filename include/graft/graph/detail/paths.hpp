#pragma once
// Paths as strings, which are UTF-8. On Windows a path made of a plain string would be in the code page.
#include <filesystem>
#include <string>

namespace graft::inline v1::detail::platform {

#ifdef _WIN32
inline std::filesystem::path path_of(const std::string& text) { return std::u8string(text.begin(), text.end()); }
inline std::string text_of(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return {text.begin(), text.end()};
}
#else
inline std::filesystem::path path_of(const std::string& text) { return text; }
inline std::string text_of(const std::filesystem::path& path) { return path.string(); }
#endif

}  // namespace graft::inline v1::detail::platform
