#pragma once
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

/// Whether the outputs of a graph have the same elements before and after a pass, and behind it the dims that they are
/// declared with, whatever these were.
inline graft::TestResult same_elements(std::string_view text, const graft::Pass& pass, double tolerance = 1e-5) {
  using namespace graft;
  const Model before = graph(text);
  Model after = graph(text);
  if (pass.run(after).changes == 0) return TestResult::fail("nothing was changed");
  infer_shapes(after.graph());
  for (const Problem& problem : verify(after)) return TestResult::fail(to_string(problem));
  Random random(text);
  Feeds feeds;
  for (const Value* const input : before.graph().inputs())
    if (input->initializer() == nullptr)
      feeds.emplace_back(std::string(input->name()), random_tensor(input->dtype(), *input->shape().dims(), random));
  const std::vector<Tensor> wanted = Evaluator(before.graph()).run(feeds);
  const std::vector<Tensor> got = Evaluator(after.graph()).run(feeds);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (after.graph().output(i)->shape().dims() != got[i].dims())
      return TestResult::fail("an output is declared otherwise than it is: " + to_string(after.graph()));
    const std::vector<double> expected = wanted[i].to<double>(), found = got[i].to<double>();
    if (expected.size() != found.size()) return TestResult::fail("an output has another number of elements");
    for (std::size_t k = 0; k < found.size(); ++k)
      if (!(std::abs(expected[k] - found[k]) <= tolerance))
        return TestResult::fail("an element is " + std::to_string(found[k]) + ", was " + std::to_string(expected[k]) +
                                ": " + to_string(after.graph()));
  }
  return TestResult::pass();
}
