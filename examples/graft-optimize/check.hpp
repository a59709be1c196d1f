#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/testing/random.hpp>

#include "support/difference.hpp"
#include "support/random_feeds.hpp"
#include "support/samples.hpp"

struct Check {
  std::size_t runs = 0;
  Difference difference{};
  std::vector<std::string> alone{};  // outputs of only one of the two graphs
  std::string failure{};             // the reason, if nothing could be compared
};

/// Why inputs of one graph cannot be fed to the other; "" if they can.
inline std::string why_inputs_differ(const graft::Graph& before, const graft::Graph& after) {
  const auto typed = [](const graft::Graph& graph) {
    std::vector<std::string> texts;
    for (const graft::Value* const input : required_inputs(graph))
      texts.push_back("'" + std::string(input->name()) + "' " + std::string(to_string(input->dtype())));
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  const auto joined = [](const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all.empty() ? "none" : all;
  };
  const std::vector<std::string> one = typed(before), other = typed(after);
  return one == other ? "" : "the inputs have changed: " + joined(one) + " before, " + joined(other) + " after";
}

/// Runs both graphs on the samples, or on this many random inputs if there are no samples.
inline Check check(const graft::Graph& before, const graft::Graph& after, std::size_t count,
                   const std::optional<Samples>& samples, const std::map<std::string, std::int64_t>& sizes) {
  Check result;
  result.failure = why_inputs_differ(before, after);
  std::vector<std::string> shared;
  const auto has = [](const graft::Graph& graph, std::string_view name) {
    const auto outputs = graph.outputs();
    return std::any_of(outputs.begin(), outputs.end(), [&](const auto* output) { return output->name() == name; });
  };
  for (const auto* const output : before.outputs())
    (has(after, output->name()) ? shared : result.alone).emplace_back(output->name());
  for (const auto* const output : after.outputs())
    if (!has(before, output->name())) result.alone.emplace_back(output->name());
  if (result.failure.empty() && shared.empty()) result.failure = "no output kept its name";
  if (!result.failure.empty()) return result;
  const graft::Fetches fetches(shared.begin(), shared.end());
  graft::Random random(1);
  const std::size_t runs = samples ? std::min(count, samples->size()) : count;
  const graft::AllocationLimit limit(std::size_t{4} << 30);  // for a tensor; filling more takes over a minute
  try {
    const graft::Evaluator first(before), second(after);
    for (; result.runs < runs; ++result.runs) {
      const graft::Feeds feeds = samples ? (*samples)[result.runs].feeds : random_feeds(before, sizes, random);
      const std::vector<graft::Tensor> one = first.run(feeds, fetches), other = second.run(feeds, fetches);
      for (std::size_t i = 0; i < shared.size(); ++i) {
        if (one[i].dims() != other[i].dims() || one[i].dtype() != other[i].dtype())
          throw graft::Error("the output '" + shared[i] + "' is " + to_string(one[i].dtype(), one[i].dims()) +
                             " before, " + to_string(other[i].dtype(), other[i].dims()) + " after");
        compare(one[i], other[i], shared[i], result.difference);
      }
    }
  } catch (const graft::Error& error) {
    result.failure = error.what();
  }
  return result;
}
