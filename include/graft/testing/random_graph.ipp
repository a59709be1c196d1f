#pragma once
#include <graft/testing/random_graph.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/drop_unused.hpp>
#include <graft/testing/detail/grow/growth.hpp>
#include <graft/testing/detail/grow/graph_grower.hpp>
#include <graft/testing/detail/grow/recipe.hpp>
#include <graft/testing/detail/unknown_words.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<std::string> random_operators() {
  std::vector<std::string> names;
  for (const auto recipes :
       {detail::elementwise_recipes, detail::movement_recipes, detail::indexing_recipes, detail::reduction_recipes,
        detail::window_recipes, detail::product_recipes, detail::normalization_recipes, detail::quantization_recipes,
        detail::transformer_recipes}) {
    for (const detail::Recipe& recipe : recipes()) {
      detail::each_name(recipe.ops, [&](std::string_view name) {
        if (name.find("qonnx") == std::string_view::npos) names.emplace_back(name);
      });
    }
  }
  return names;
}

namespace detail {

/// Makes some float initializers inputs too.
inline void make_overridable(onnx::GraphProto& graph, Dice& dice) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (!is_float(DType{tensor.data_type()}) || tensor.dims_size() == 0 || !dice.one_in(12)) continue;
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(tensor.name());
    const Shape shape(tensor);
    *input.mutable_type() = tensor_type(DType{tensor.data_type()}, shape);
  }
}

}  // namespace detail

GRAFT_INLINE Model random_graph(std::uint64_t seed, std::size_t nodes, const Vocabulary& vocabulary) {
  detail::Dice dice(seed);
  const int opset = dice.any_of(vocabulary.opsets);
  onnx::ModelProto proto;
  proto.set_ir_version(opset > 20 ? 10 : 8);
  proto.mutable_graph()->set_name("random");
  proto.add_opset_import()->set_version(opset);
  Model model(std::move(proto));
  detail::GraphGrower grower(model, vocabulary, seed);
  if (!vocabulary.dtypes.empty()) {
    const DType dtype = dice.any_of(vocabulary.dtypes);
    if (is_float(dtype)) grower.prefer(0, dtype);
  }
  detail::grow(grower, nodes);
  if (grower.made().empty()) {
    Value* const only[] = {&grower.new_input({})};
    grower.add("Identity", only, 1, {});
  }
  grower.choose_outputs();
  detail::drop_unused(model.graph());
  for (Value* const output : model.graph().outputs())
    model.graph().declare_type(*output, *output->type());
  if (vocabulary.functions && opset >= 13 && dice.one_in(12)) detail::outline_some(model, dice);
  proto = model.commit();
  if (vocabulary.overridable) detail::make_overridable(*proto.mutable_graph(), dice);
  return Model(std::move(proto), model);
}

}  // namespace graft::inline v1
