#include <graft/quantize/run/quantize_options.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("by default everything that helps accuracy is on, and fast() turns it off", "[quantize]") {
  const QuantizeOptions accurate, fast = QuantizeOptions::fast();
  CHECK(accurate.observers.size() == usual_range_choices().size());
  CHECK((accurate.correct_biases && accurate.equalize && accurate.zero_dead_channels && accurate.compare));
  CHECK(fast.observers.empty());
  CHECK_FALSE((fast.correct_biases || fast.equalize || fast.zero_dead_channels || fast.compare));
  CHECK(fast.placement == accurate.placement);
}
