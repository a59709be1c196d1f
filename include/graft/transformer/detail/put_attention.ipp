#pragma once
#include <graft/transformer/detail/put_attention.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/transformer/detail/made_already.hpp>
#include <graft/transformer/detail/merged_projections.hpp>
#include <graft/transformer/detail/runtime_argument.hpp>
#include <graft/vocabulary/hidden_rows.hpp>

namespace graft::inline v1::detail {

inline bool has_contrib_dtype(const ScaledDotProduct& found) {
  const DType dtype = found.query.dtype();
  return dtype == DType::f32 || dtype == DType::f16;
}

inline Attributes contrib_attributes(const ScaledDotProduct& found) {
  Attributes attributes{{"num_heads", found.head_count()}};
  if (!found.has_default_scale()) attributes.emplace_back("scale", found.scale);
  if (found.causal) attributes.emplace_back("unidirectional", 1);
  return attributes;
}

/// Declares the type of the replaced value, for tools that do not know the operator.
inline void declare_like(Value& made, const Value& old) {
  if (old.type() != nullptr) made.graph().declare_type(made, *old.type());
}
inline void declare_result(const ScaledDotProduct& found, Value& result) {
  if (found.flat != nullptr) return declare_like(result, *found.flat);
  const std::vector<Dim> dims{found.query.dim(HeadView::batch), found.query.dim(HeadView::steps),
                              Dim(found.head_count() * found.value_size())};
  result.graph().declare_type(result, tensor_type(found.query.dtype(), Shape(dims)));
}

inline Verdict put_merged_attention(const ScaledDotProduct& found, const MergedProjections& merged,
                                    Rewriter& rewriter) {
  Value& weight = merged.weight(rewriter);
  Value& bias = merged.bias(rewriter);
  Value& input = merged.steps_first ? with_first_axes_exchanged(rewriter, *merged.input) : *merged.input;
  Attributes attributes = contrib_attributes(found);
  if (found.size() != found.value_size()) {
    const std::int64_t hidden = found.head_count() * found.size();
    attributes.emplace_back("qkv_hidden_sizes", Ints{hidden, hidden, found.head_count() * found.value_size()});
  }
  // The mask takes its extents from the input, so that no projection stays for its shape.
  ScaledDotProduct of_input = found;
  of_input.query.flat = of_input.key.flat = merged.input;
  Value* const mask = of_input.broad_mask(rewriter);
  Value& result = rewriter.op("com.microsoft::Attention", {&input, &weight, &bias, nullptr, nullptr, mask}, attributes);
  declare_result(found, result);
  return found.replace_by(rewriter, result);
}

/// Replaces the caches of keys and values, if there are any, by the second and third output.
inline Verdict replace_caches(const ScaledDotProduct& found, Node& made, Rewriter& rewriter) {
  for (std::size_t i = 0; found.keys_before && i < 2; ++i) {
    Value& present = *(i == 0 ? found.keys_before : found.values_before)->present;
    declare_like(*made.output(1 + i), present);
    if (Verdict done = rewriter.replace(present, *made.output(1 + i)); !done) return done;
  }
  return Verdict::yes();
}

/// Replaces the result by the first output, and the caches.
inline Verdict replace_with_cache(const ScaledDotProduct& found, Node& made, Rewriter& rewriter) {
  declare_result(found, *made.output(0));
  Verdict done = replace_caches(found, made, rewriter);
  return done ? found.replace_by(rewriter, *made.output(0)) : done;
}

inline Verdict put_multi_head_attention(const ScaledDotProduct& found, Rewriter& rewriter) {
  Value* const mask = found.broad_mask(rewriter);
  std::vector<Value*> inputs{&found.query.flattened(rewriter)};
  const bool cached = found.keys_before.has_value();
  if (cached) {
    inputs.insert(inputs.end(),
                  {&found.keys_before->added.flattened(rewriter), &found.values_before->added.flattened(rewriter),
                   nullptr, nullptr, mask, found.keys_before->past, found.values_before->past});
  } else if (found.key.flat == nullptr && found.value.flat == nullptr && found.key.is_in_order() &&
             found.value.is_in_order() && found.size() == found.value_size()) {
    inputs.insert(inputs.end(), {found.key.source, found.value.source, nullptr, nullptr, mask});
  } else {
    inputs.insert(inputs.end(),
                  {&found.key.flattened(rewriter), &found.value.flattened(rewriter), nullptr, nullptr, mask});
  }
  Node& made = rewriter.node("com.microsoft::MultiHeadAttention", inputs, cached ? 3 : 1, contrib_attributes(found));
  return replace_with_cache(found, made, rewriter);
}

/// The mask with the lowest number for -infinity, so that the weights of a query without keys are numbers.
inline Value& finite_mask(const ScaledDotProduct& found, Rewriter& rewriter) {
  Value& mask = *found.broad_mask(rewriter);
  if (!vocabulary::may_hide_rows(mask, true)) return mask;
  const double lowest = mask.dtype() == DType::f16 ? -65504 : static_cast<double>(std::numeric_limits<float>::lowest());
  Value& low = rewriter.constant(Tensor::scalar(mask.dtype(), lowest), "lowest");
  Value* const made = made_already("Max", {&mask, &low}, *found.root);
  return made != nullptr ? *made : rewriter.op("Max", {&mask, &low});
}

/// For keys and values with heads that may serve several queries each, and for their optional cache. The kernel hides
/// keys after each query itself; a bias may hide others.
inline Verdict put_group_query_attention(ScaledDotProduct found, Rewriter& rewriter) {
  found.has_guarded_weights = found.hidden_rows_are_zero = false;  // its weights are numbers
  const bool is_biased = !found.is_causal(rewriter);
  const bool cached = found.keys_before.has_value();
  Value *const past_key = cached ? found.keys_before->past : nullptr,
               *const past_value = cached ? found.values_before->past : nullptr;
  const auto as_i32 = [&](Value& value) -> Value& { return rewriter.op("Cast", {&value}, {{"to", DType::i32}}); };
  const auto number = [&](std::int64_t value) -> Value& {
    return rewriter.constant(Tensor::of<std::int64_t>({1}, {value}), "number");
  };
  Value& steps = found.query.extent(rewriter, HeadView::steps);
  Value& all = cached ? rewriter.op("Add", {&extent(rewriter, *past_key, 2), &steps}) : steps;
  Value& last = rewriter.op("Sub", {&all, &number(1)});
  Value& lengths = as_i32(rewriter.op("Expand", {&last, &found.query.extent(rewriter, HeadView::batch)}));
  Value& scalar = rewriter.constant(Tensor(DType::i64, {0}), "scalar");
  Value& total = as_i32(rewriter.op("Reshape", {&all, &scalar}));
  Attributes attributes{{"num_heads", found.head_count()}, {"kv_num_heads", found.key.dim(HeadView::heads).value()}};
  if (!found.has_default_scale()) attributes.emplace_back("scale", found.scale);
  if (found.cap != 0) attributes.emplace_back("softcap", found.cap);
  const HeadView &keys = cached ? found.keys_before->added : found.key,
                 &values = cached ? found.values_before->added : found.value;
  std::vector<Value*> inputs{&found.query.flattened(rewriter),
                             &keys.flattened(rewriter),
                             &values.flattened(rewriter),
                             past_key,
                             past_value,
                             &lengths,
                             &total};
  if (is_biased) inputs.insert(inputs.end(), {nullptr, nullptr, nullptr, &finite_mask(found, rewriter)});
  Node& made = rewriter.node("com.microsoft::GroupQueryAttention", inputs, 3, attributes);
  return replace_with_cache(found, made, rewriter);
}

/// Whether a value depends on another through nodes before the root, in its scope.
inline bool is_computed_of(const Value& result, const Value& given, const Node& root) {
  std::vector<const Value*> reached{&given};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] == &result) return true;
    for (const Node& user : reached[i]->users()) {
      if (&user.graph() != &root.graph() || !user.before(root)) continue;
      for (const Value& output : user.outputs())
        if (std::find(reached.begin(), reached.end(), &output) == reached.end()) reached.push_back(&output);
    }
  }
  return false;
}

/// Whether the mask depends on the cache, for example counts its keys: then the cache cannot be an output of the
/// operator.
inline bool has_mask_of_cache(const ScaledDotProduct& found) {
  return found.mask != nullptr && (is_computed_of(*found.mask, *found.keys_before->present, *found.root) ||
                                   is_computed_of(*found.mask, *found.values_before->present, *found.root));
}

inline Verdict put_standard_attention(const ScaledDotProduct& found, Rewriter& rewriter) {
  const bool cached = found.keys_before && !has_mask_of_cache(found);
  const HeadView &keys = cached ? found.keys_before->added : found.key,
                 &values = cached ? found.values_before->added : found.value;
  std::vector<Value*> inputs{&found.query.by_heads(rewriter), &keys.by_heads(rewriter), &values.by_heads(rewriter),
                             found.broad_mask(rewriter)};
  if (cached) inputs.insert(inputs.end(), {found.keys_before->past, found.values_before->past});
  Attributes attributes;
  if (!found.has_default_scale()) attributes.emplace_back("scale", found.scale);
  if (found.cap != 0) attributes.emplace_back("softcap", found.cap);
  if (found.causal) attributes.emplace_back("is_causal", 1);
  if (found.wide_softmax)
    attributes.emplace_back("softmax_precision", static_cast<std::int64_t>(onnx::TensorProto::FLOAT));
  Node& made = rewriter.node("Attention", inputs, cached ? 3 : 1, attributes);
  Verdict done = cached ? replace_caches(found, made, rewriter) : Verdict::yes();
  return done ? found.replace_heads_by(rewriter, found.guarded(rewriter, *made.output(0))) : done;
}

/// Whether MultiHeadAttention supports it with the queries of a group as further steps of one head.
inline Verdict fits_steps_of_groups(const ScaledDotProduct& grouped) {
  if (!grouped.keys_before) return Verdict::no("there is no cache before the keys");
  if (grouped.size() != grouped.value_size()) return Verdict::no("values have another size");
  if (grouped.causal) return Verdict::no("it is causal by an attribute, and the queries of a group become steps");
  const std::int64_t groups = grouped.key.dim(HeadView::heads).value();
  if (groups < 1 || grouped.value.dim(HeadView::heads) != Dim(groups) || grouped.head_count() % groups != 0)
    return Verdict::no("the number of heads of queries is not a multiple of that of keys");
  if (has_mask_of_cache(grouped)) return Verdict::no("the mask depends on the cache");
  if (grouped.mask == nullptr) return Verdict::yes();
  const Shape mask = grouped.mask->shape();
  const bool one_mask = mask.known() && (mask.rank() < 3 || mask[mask.rank() - 3] == Dim(1));
  return one_mask ? Verdict::yes() : Verdict::no("heads may have different masks");
}

/// Queries that share keys become steps of one head, [batch, times * steps, groups * size], so that keys are neither
/// repeated nor read more than once.
inline Verdict put_steps_of_groups(const ScaledDotProduct& found, Rewriter& rewriter) {
  const std::int64_t groups = found.key.dim(HeadView::heads).value(), times = found.head_count() / groups,
                     size = found.size();
  Value& split = rewriter.ints({0, 0, groups, times, size});
  Value& apart = rewriter.op("Reshape", {&found.query.flattened(rewriter), &split});
  Value& turned = rewriter.op("Transpose", {&apart}, {{"perm", {0, 3, 1, 2, 4}}});
  Value& queries = rewriter.op("Reshape", {&turned, &rewriter.ints({0, -1, groups * size})});
  Value* mask = found.broad_mask(rewriter);
  if (mask != nullptr) {
    Value& repeats = rewriter.ints({1, 1, times, 1});
    Value* const made = made_already("Tile", {mask, &repeats}, *found.root);
    mask = made != nullptr ? made : &rewriter.op("Tile", {mask, &repeats});
  }
  Value* const inputs[]{&queries,
                        &found.keys_before->added.flattened(rewriter),
                        &found.values_before->added.flattened(rewriter),
                        nullptr,
                        nullptr,
                        mask,
                        found.keys_before->past,
                        found.values_before->past};
  Attributes attributes{{"num_heads", groups}};
  if (!found.has_default_scale()) attributes.emplace_back("scale", found.scale);
  Node& made = rewriter.node("com.microsoft::MultiHeadAttention", inputs, 3, attributes);
  const std::vector<Dim> dims{found.query.dim(HeadView::batch), Dim(), Dim(groups * size)};
  made.graph().declare_type(*made.output(0), tensor_type(found.query.dtype(), Shape(dims)));
  if (Verdict done = replace_caches(found, made, rewriter); !done) return done;
  Value& steps = rewriter.op("Reshape", {made.output(0), &rewriter.ints({0, times, -1, groups, size})});
  Value& back = rewriter.op("Transpose", {&steps}, {{"perm", {0, 2, 3, 1, 4}}});
  Value& joined = rewriter.op("Reshape", {&back, &rewriter.ints({0, 0, found.head_count() * size})});
  declare_result(found, joined);
  return found.replace_by(rewriter, joined);
}

/// Whether GroupQueryAttention supports it.
inline Verdict fits_group_query_attention(const ScaledDotProduct& grouped, Rewriter& rewriter, bool generates) {
  if (!grouped.keys_before && grouped.cap == 0) return Verdict::no("there is no cache before the keys");
  if (grouped.size() != grouped.value_size()) return Verdict::no("values have another size");
  if (grouped.size() % 8 != 0) return Verdict::no("the size of a head is not a multiple of 8, as the kernel requires");
  const HeadView& added = grouped.keys_before ? grouped.keys_before->added : grouped.key;
  if (!same_size(grouped.query.dim(HeadView::steps), added.dim(HeadView::steps)))
    return Verdict::no("the numbers of new keys and queries may differ");
  if (!grouped.is_causal(rewriter)) {
    if (!generates || grouped.cap != 0)
      return Verdict::no("the mask is not known to hide exactly the keys after each query");
    if (!grouped.hides_later_keys(rewriter)) return Verdict::no("the mask may show keys after a query");
    if (grouped.keys_before && has_mask_of_cache(grouped)) return Verdict::no("the mask depends on the cache");
  }
  // The kernel rejects several steps after a past in several batches.
  const bool runs = generates || !grouped.keys_before || grouped.query.dim(HeadView::steps) == Dim(1) ||
                    grouped.query.dim(HeadView::batch) == Dim(1);
  return runs ? Verdict::yes() : Verdict::no("there may be several batches of several steps");
}

GRAFT_INLINE Verdict put_attention(ScaledDotProduct& found, Rewriter& rewriter, bool is_standard) {
  const FusedOperators& runtime = rules::operators_given(rewriter.context());
  if (Verdict sound = found.check(rewriter.known_contents()); !sound) return sound;
  const Dim heads = found.query.dim(HeadView::heads);
  const bool shared = found.key.dim(HeadView::heads) != heads || found.value.dim(HeadView::heads) != heads;
  if (shared && !is_standard) return Verdict::no("keys or values have another number of heads than queries");
  const bool may_have_cache = !found.keys_before && !found.causal;
  auto grouped = shared ? std::optional(found) : may_have_cache ? found.with_groups(rewriter) : std::nullopt;
  if (found.cap != 0 && !grouped) grouped = found;
  if (runtime.generates && !grouped) grouped = found;
  if (grouped && may_have_cache) grouped->find_caches();
  const bool fits_contrib = has_contrib_dtype(found);
  if (fits_contrib && grouped && runtime.contains("com.microsoft::GroupQueryAttention") &&
      fits_group_query_attention(*grouped, rewriter, runtime.generates))
    return put_group_query_attention(*grouped, rewriter);
  // Neither has an attribute for a cap.
  const bool contrib = fits_contrib && found.cap == 0;
  if (contrib && !shared && runtime.contains("com.microsoft::Attention")) {
    const auto merged = found.keys_before ? std::nullopt : merged_projections(found);
    if (merged) return put_merged_attention(found, *merged, rewriter);
  }
  if (contrib && runtime.contains("com.microsoft::MultiHeadAttention")) {
    const bool repeats = grouped && grouped->key.dim(HeadView::heads) != heads;
    const Verdict fits = repeats ? fits_steps_of_groups(*grouped) : Verdict::no("keys serve one query each");
    if (fits) return put_steps_of_groups(*grouped, rewriter);
    if (shared) return fits;
    if (found.keys_before && found.size() != found.value_size())
      return Verdict::no("values have another size, and a past");
    if (may_have_cache && found.size() == found.value_size()) found.find_caches();
    if (may_have_cache && found.keys_before && has_mask_of_cache(found)) found.drop_caches();
    return put_multi_head_attention(found, rewriter);
  }
  if (is_standard) return Verdict::no("the runtime has no other operator for it");
  if (!runtime.contains("Attention") || found.root->graph().opset() < 23)
    return Verdict::no("the runtime has no operator for attention of this dtype and opset");
  if (found.scale < 0) return Verdict::no("the scale is negative, and the operator takes its root");
  ScaledDotProduct whole = grouped ? *grouped : found;
  if (may_have_cache) whole.find_caches();
  return put_standard_attention(whole, rewriter);
}

}  // namespace graft::inline v1::detail
