#include <graft/precision/float_options.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/schema.hpp>

using namespace graft;

TEST_CASE("each operator that stays by default exists") {
  for (const std::string_view op : operators_kept_in_float32()) {
    const std::size_t colons = op.find("::");
    const std::string_view domain = colons == op.npos ? "" : op.substr(0, colons);
    INFO(std::string(op));
    CHECK(!schema::versions(domain, colons == op.npos ? op : op.substr(colons + 2)).empty());
  }
}
