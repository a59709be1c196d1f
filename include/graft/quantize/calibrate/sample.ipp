#pragma once
#include <graft/config.hpp>
#include <graft/quantize/calibrate/sample.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const std::string& Sample::source_of(std::string_view name) const {
  for (std::size_t i = 0; i < feeds.size() && i < files.size(); ++i)
    if (feeds[i].first.name() == name) return files[i];
  return source;
}

GRAFT_INLINE Error on_sample(const Error& error, const Sample& sample, std::string_view called) {
  std::string source = sample.source_of(error.field());
  if (source.empty()) source = called;
  if (error.node().empty()) return Error(error).file(source);
  return Error(error).append(", on " + source);
}

GRAFT_INLINE SampleStream::Iterator& SampleStream::Iterator::operator++() {
  sample_ = (*next_)();
  return *this;
}

}  // namespace graft::inline v1
