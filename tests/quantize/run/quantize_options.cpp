#include <graft/quantize/run/quantize_options.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("by default everything that helps accuracy is on, and fast() turns it off", "[quantize]") {
  const QuantizeOptions accurate, fast = QuantizeOptions::fast();
  const StaticOptions &all = accurate.static_options(), &none = fast.static_options();
  CHECK(all.ranges.methods().size() == usual_range_methods().size());
  CHECK((all.correct_biases && all.equalize && all.zero_dead_channels && accurate.compare));
  CHECK(none.ranges.methods().size() == 1);
  CHECK_FALSE((none.correct_biases || none.equalize || none.zero_dead_channels || fast.compare));
  CHECK(none.placement == all.placement);
}
