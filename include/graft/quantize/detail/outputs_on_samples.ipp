#pragma once
#include <graft/quantize/detail/outputs_on_samples.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::size_t for_first(const SampleSource& samples, std::size_t most, const Context& context,
                                   const std::function<bool(std::size_t i, const Sample& sample)>& f) {
  std::size_t i = 0;
  if (most == 0 || context.is_cancelled()) return 0;
  samples.for_each([&](const Sample& sample) {
    bool goes_on = true;
    try {
      goes_on = f(i, sample);
    } catch (Error& error) {
      throw on_sample(error, sample, "sample " + std::to_string(i));
    }
    return ++i != most && goes_on && !context.is_cancelled();
  });
  return i;
}

GRAFT_INLINE Feeds by_name(const Feeds& feeds, const Feeds& more) {
  Feeds result;
  for (const Feeds* const some : {&feeds, &more})
    for (const auto& [value, tensor] : *some) result.emplace_back(std::string(value.name()), tensor);
  return result;
}

}  // namespace graft::inline v1::detail
