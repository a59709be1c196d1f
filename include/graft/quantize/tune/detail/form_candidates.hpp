#pragma once
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Products that gain over float in a form that is not static, and no form is chosen of; and what they read.
struct FormCandidates {
  struct Product {
    Node* node;
    std::size_t input;  ///< which of `inputs` it reads
  };
  std::vector<const Value*> inputs{};
  std::vector<Product> products{};
  std::unordered_set<const Node*> dynamic{}, weight_only{};  ///< those that may be so

  FormCandidates(Graph& graph, const Target& target, const ProductForms& chosen, const Context& context) {
    const KeptInFloat kept = context.facts.value_or_default<KeptInFloat>();
    const TypicalSizes sizes(graph, context);
    for (const DynamicInput& input : dynamic_inputs(graph, target, kept)) {
      if (!(input.gain(target) > 0)) continue;
      for (Node* const reader : input.readers)
        if (product_gain(*reader, target) > 0 && !chosen.holds(*reader)) add(*reader, *input.x, dynamic);
    }
    for (const BlockProduct& product : block_products(graph, target, kept, ProductForms::usual_bits)) {
      ConstantProduct read;
      if (!chosen.holds(*product.node) && ConstantProduct::read(*product.node, read))
        add(*product.node, *read.x, weight_only);
    }
  }

 private:
  void add(Node& node, const Value& x, std::unordered_set<const Node*>& may_be_so) {
    const auto [place, is_new] = places_.try_emplace(&x, inputs.size());
    if (is_new) inputs.push_back(&x);
    if (!dynamic.contains(&node) && !weight_only.contains(&node)) products.push_back({&node, place->second});
    may_be_so.insert(&node);
  }

  std::unordered_map<const Value*, std::size_t> places_{};
};

}  // namespace graft::inline v1::detail
