#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/build.hpp>
#include <graft/graph/print.hpp>
#include <graft/rewrite.hpp>

/// The captures and helpers of the tests of this folder.
namespace words {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto y = val<"y">;
inline constexpr auto w = cst<"w">;
inline constexpr auto b = cst<"b">;
inline constexpr auto more = rest<"more">;
inline constexpr auto conv = node<"conv">;
inline constexpr auto act = node<"act">;
inline constexpr auto inner = node<"inner">;
inline constexpr auto axis = attr<"axis", Axis>;
inline constexpr auto perm = attr<"perm", Ints>;

inline constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));
inline constexpr auto no_identity = rule<"no-identity">(op<"Identity">(x), x);

/// The operators of a graph in their order: "Conv Relu".
inline std::string ops(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) text += (text.empty() ? "" : " ") + std::string(node.op_type());
  return text;
}

inline Tensor floats(Dims dims, float value = 1) {
  Tensor tensor(DType::f32, std::move(dims));
  for (float& element : tensor.mutable_data<float>()) element = value;
  return tensor;
}

/// A fact.
struct Count {
  static constexpr std::string_view fact_name = "a number", fact_maker = "count";

  int value = 0;
};

/// f32[2,2] in, y out, and the nodes between.
struct Small {
  explicit Small(int opset = 17) : build(opset) {}

  Builder build;
  Value& in = build.input("in", DType::f32, {2, 2});

  Value& op(std::string_view name, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return build.op(name, inputs, attributes);
  }
  Model finish(Value& out) {
    build.output(out, "y");
    return build.build();
  }
};

/// in, then that many nodes of one operator.
inline Model chain_of(std::string_view op_type, std::size_t count) {
  Small m;
  Value* at = &m.in;
  for (std::size_t i = 0; i < count; ++i) at = &m.op(op_type, {at});
  return m.finish(*at);
}

/// A rule that never ends.
inline constexpr auto grow = rule<"grow">(op<"Neg">(x), [](const auto& m, Rewriter& rw) -> Value& {
  return rw.op("Neg", {&rw.op("Abs", {&m[x]})});
});

}  // namespace words
