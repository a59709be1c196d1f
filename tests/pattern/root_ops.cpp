#include <graft/pattern/root_ops.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

std::vector<std::string> names(const RulePattern& table) {
  std::vector<std::string> result;
  for (const OpName& name : root_ops(table).names) {
    result.push_back(std::string(name.domain) + ":" + std::string(name.op_type));
  }
  return result;
}

}  // namespace

TEST_CASE("the operators at which a pattern can match") {
  using List = std::vector<std::string>;
  CHECK(names(query<"">(op<"Relu">(op<"Conv">(x, w)))) == List{":Relu"});
  CHECK(names(query<"">(one_of<"Relu", "com.microsoft::Gelu">(x))) == List{":Relu", "com.microsoft:Gelu"});
  CHECK(names(query<"">(either(op<"Relu">(x), op<"Tanh">(x), op<"Exp">(x)))) == List{":Relu", ":Tanh", ":Exp"});
  CHECK(names(query<"">(chain(op<"Reshape">, op<"Relu">(x)))) == List{":Reshape", ":Relu"});
  CHECK(names(query<"">(roots(op<"Relu">(x), op<"Exp">(x)))) == List{":Relu"});
  CHECK_FALSE(root_ops(query<"">(op<"Relu">(x))).any);
  CHECK(root_ops(query<"">(any_op(x))).any);
  CHECK(root_ops(query<"">(chain(op<"Reshape">, x))).any);
  CHECK(root_ops(query<"">(either(op<"Relu">(x), any_op(x)))).any);
}
