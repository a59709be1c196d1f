// Ranges and targets are read from JSON; what was read is written and reads back.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <graft/quantize.hpp>

#include "fuzz/finding.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const graft::Ranges ranges = graft::ranges_from_json(text);
    if (graft::ranges_from_json(to_json(ranges)) != ranges) finding("what was written reads back as other ranges");
  } catch (const graft::Error&) {
  }
  try {
    static_cast<void>(graft::target_from_json(text));
  } catch (const graft::Error&) {
  }
  return 0;
}
