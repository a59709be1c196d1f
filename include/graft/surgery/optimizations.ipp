#pragma once
#include <graft/surgery/optimizations.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/simplify/cast.hpp>
#include <graft/simplify/common_subexpressions.hpp>
#include <graft/simplify/concat.hpp>
#include <graft/simplify/control_flow.hpp>
#include <graft/simplify/conv.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/simplify/identity.hpp>
#include <graft/simplify/known_contents.hpp>
#include <graft/simplify/matmul.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/simplify/pool.hpp>
#include <graft/simplify/reduce.hpp>
#include <graft/simplify/reshape.hpp>
#include <graft/simplify/sequence.hpp>
#include <graft/simplify/slice.hpp>
#include <graft/simplify/squeeze.hpp>
#include <graft/simplify/transpose.hpp>
#include <graft/surgery/functions.hpp>

namespace graft::inline v1 {

namespace detail {

/// A pass and its rules.
struct PassOfRules {
  PassOfRules(Pass whole) : pass(std::move(whole)) {}
  PassOfRules(Pass whole, std::vector<RuleView> parts) : pass(std::move(whole)), rules(std::move(parts)) {}

  Pass pass;
  std::vector<RuleView> rules;
};

struct NamedOptimization {
  std::string_view name, summary;
  PassOfRules what;
  std::string_view title = {};
};

/// Applies rules until none matches, after type inference, because the file may declare no types.
PassOfRules typed(const auto&... rules) {
  const Pass pass = around(fixpoint(rules...), [](const Pass& inner, Graph& graph, Context& context) {
    infer_shapes(graph, context.infer_options());
    return inner.run(graph, context);
  });
  return {pass, {rules...}};
}

}  // namespace detail

GRAFT_INLINE Registry<Optimization> optimizations() {
  using detail::typed;
  const detail::NamedOptimization table[] = {
      {"constant_folding", "nodes that depend on constants alone are computed",
       fixpoint(fold_constants() | fixpoint(known_contents))},
      {"constant_propagation", "known shapes, and values computed from them, become constant",
       typed(remove_identity, known_contents)},
      {"sequence_simplification", "sequences with known elements become Concat, Split or an element",
       typed(element_of_sequence, concat_of_sequence, length_of_sequence, insert_into_empty_sequence,
             insert_into_sequence, erase_from_sequence, split_to_parts)},
      {"remove_unused_nodes", "unused nodes, optional outputs and initializers are removed", eliminate_dead_code()},
      {"remove_unused_functions", "uncalled functions are removed", remove_unused_functions()},
      {"inline_functions_with_unused_outputs", "functions with a call that leaves outputs unused are inlined",
       inline_functions_with_unused_outputs()},
      {"inline_simple_functions", "functions of at most two nodes are inlined", inline_small_functions()},
      {"eliminate_nop_cast", "Cast to the same dtype is removed", typed(remove_cast, remove_cast_like)},
      {"eliminate_nop_dropout", "Dropout in inference, or of a ratio of 0",
       typed(remove_dropout, remove_dropout_of_0, remove_dropout_with_mask)},
      {"eliminate_nop_flatten", "Flatten to the same shape is removed", typed(remove_flatten)},
      {"extract_constant_to_initializer", "Constant nodes become initializers",
       fold_constants({.only_constants = true})},
      {"eliminate_if_with_const_cond", "an If with a constant condition becomes its branch", typed(constant_if)},
      {"eliminate_nop_monotone_argmax",
       "ArgMax of Log, Exp, Sqrt or (Log)Softmax is that of their input, except for ties",
       typed(argmax_of_monotone, argmax_of_softmax)},
      {"eliminate_nop_pad", "Pad by 0 elements", typed(remove_pad)},
      {"eliminate_nop_concat", "Concat of one operand, and Sum, Max, Min and Mean of one", typed(remove_concat)},
      {"eliminate_nop_split", "Split into one part", typed(remove_split)},
      {"eliminate_nop_expand", "Expand to the same shape, and Tile of ones", typed(remove_expand)},
      {"eliminate_shape_gather", "Gather of known extents from a Shape", typed(known_shape_gather)},
      {"eliminate_slice_after_shape", "Slice of known extents from a Shape", typed(known_shape_slice)},
      {"eliminate_nop_transpose", "Transpose that keeps the order of axes", typed(remove_transpose)},
      {"fuse_add_bias_into_conv", "Add after a Conv becomes its bias",
       typed(add_into_conv_bias, add_into_computed_conv_bias)},
      {"fuse_bn_into_conv", "BatchNormalization after a Conv goes into its weights and bias", typed(bn_into_conv)},
      {"fuse_consecutive_concats", "Concats of Concats along the same axis become one", typed(concat_concat)},
      {"fuse_consecutive_log_softmax", "Log of Softmax becomes LogSoftmax", typed(log_softmax)},
      {"fuse_consecutive_reduce_unsqueeze", "Unsqueeze after a reduction becomes its keepdims",
       typed(reduce_unsqueeze, arg_unsqueeze)},
      {"fuse_consecutive_squeezes", "Squeezes of Squeezes become one", typed(squeeze_squeeze, squeeze_squeeze_all)},
      {"fuse_consecutive_transposes", "Transposes of Transposes become one, or none",
       typed(transpose_transpose, remove_transpose)},
      {"fuse_matmul_add_bias_into_gemm", "MatMul of matrices and Add become Gemm", typed(matmul_add_to_gemm)},
      {"fuse_pad_into_conv", "Pad by 0 before a Conv becomes its pads", typed(pad_into_conv)},
      {"fuse_pad_into_pool", "Pad before an AveragePool or MaxPool becomes its pads",
       typed(pad_into_average_pool, pad_into_max_pool)},
      {"fuse_transpose_into_gemm", "Transpose before a Gemm becomes its transA or transB",
       typed(transpose_into_gemm_a, transpose_into_gemm_b)},
      {"fuse_concat_into_reshape", "Reshape and Expand to a target of known extents and one other",
       typed(known_reshape_target, known_expand_target)},
      {"eliminate_nop_reshape", "Reshape, Squeeze and Unsqueeze to the same shape", typed(remove_reshape)},
      {"eliminate_nop_with_unit", "x + 0, x * 1, x and true, and the like; empty operands of Concat",
       typed(remove_add_0, remove_sub_0, remove_mul_1, remove_div_1, remove_and_true, remove_or_false, remove_shift_0,
             concat_empty)},
      {"eliminate_common_subexpression", "nodes that compute the same are merged",
       eliminate_common_subexpressions({.initializers = false})},
      {"fuse_qkv", "MatMuls of one value by constant matrices become one, and a Split", merge_matmuls()},
      {"fuse_consecutive_unsqueezes", "Unsqueezes of Unsqueezes become one", typed(unsqueeze_unsqueeze)},
      {"eliminate_deadend", "unused nodes and optional outputs are removed",
       eliminate_dead_code({.initializers = false}), "Eliminate Deadend Nodes"},
      {"eliminate_identity", "Identity is removed, unless it names an output", typed(remove_identity),
       "Eliminate Identity Nodes"},
      {"eliminate_shape_op", "Shape of a value with known extents", typed(known_shape), "Eliminate Shape Ops"},
      {"fuse_consecutive_slices", "Slices of Slices become one", typed(slice_slice)},
      {"eliminate_unused_initializer", "unused initializers are removed, except graph inputs",
       eliminate_dead_code({.nodes = false})},
      {"eliminate_duplicate_initializer", "equal initializers are merged",
       eliminate_common_subexpressions({.nodes = false})},
      {"broadcast_to_matmul", "Reshapes around a MatMul that does not need them", typed(reshape_matmul_reshape)},
      {"cast_constant_of_shape", "Cast of ConstantOfShape becomes the dtype of its value",
       typed(cast_constant_of_shape)},
      {"gemm_to_matmul_add", "Reshape, Gemm and Reshape become MatMul and Add", typed(reshaped_gemm_to_matmul_add)},
      {"no_op_removal", "x + 0, x - 0, x * 1, x / 1, and Dropout in inference",
       typed(remove_add_0, remove_sub_0, remove_mul_1, remove_div_1, remove_dropout, remove_dropout_of_0,
             remove_identity)},
  };
  Registry<Optimization> all("optimization");
  for (const auto& [name, summary, what, title] : table)
    all.add(std::string(name), Optimization{summary, what.pass.named(std::string(name)), what.rules, title});
  return all;
}

}  // namespace graft::inline v1
