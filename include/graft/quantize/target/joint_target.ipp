#pragma once
#include <graft/quantize/target/joint_target.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/kernel_cost.hpp>
#include <graft/quantize/kernel/kernel_work.hpp>

namespace graft::inline v1 {

namespace detail {

/// Those with which a runtime takes more models, or is given others because it is faster so. The others restrict.
inline constexpr QuirkSet<Quirk> permitting_quirks{
    Quirk::falls_back_to_float,    Quirk::drops_half_step_beyond, Quirk::pairs_on_one_branch, Quirk::pairs_on_inputs,
    Quirk::quantizes_compositions, Quirk::converts_operands};
inline constexpr QuirkSet<KernelQuirk> permitting_kernel_quirks{
    KernelQuirk::float_output,      KernelQuirk::float_beside_quantizers, KernelQuirk::requantizes,
    KernelQuirk::mixes_dtypes,      KernelQuirk::passes_dequantizers,     KernelQuirk::passes_quantizers,
    KernelQuirk::own_weight_dtype,  KernelQuirk::takes_float_bias,        KernelQuirk::zero_points_by_channel,
    KernelQuirk::symmetric_factors, KernelQuirk::requantizes_bias,        KernelQuirk::requantizes_8_bit_biases,
    KernelQuirk::slow_if_small};

template <class Enum>
QuirkSet<Enum> joint_quirks(QuirkSet<Enum> a, QuirkSet<Enum> b, QuirkSet<Enum> permitting) {
  const QuirkSet<Enum> in_both = a.without(a.without(b));
  return a.with(b).without(permitting.without(in_both));
}

/// Of what several targets write, the dtypes of activations and weights that they may take.
inline constexpr std::array joint_activations{DType::i8, DType::u8, DType::u16, DType::i16, DType::f8e4m3fn};
inline constexpr std::array joint_weights{DType::i8, DType::u8, DType::i4, DType::u4, DType::u16, DType::i16,
                                          DType::f8e4m3fn};

/// With the dtype as a model states it.
inline bool takes_stated(const Target& target, const IntegerKernel& kernel, DType activation, DType weight) {
  const DType seen = dtype_seen(with_activations(target, activation));
  return kernel.form == KernelForm::weighted ? kernel.takes(seen, kernel.weight_beside(seen, weight))
                                             : kernel.takes(seen);
}

inline bool may_quantize_to(const Target& target, DType dtype) {
  const auto& dtypes = target.quantizer_dtypes;
  return dtypes.empty() || std::ranges::find(dtypes, dtype) != dtypes.end();
}

inline bool has_bias_input(std::string_view op) {
  const OpName name = OpName::parse(op);
  const schema::Operator* const facts = schema::find(name.domain, name.op_type, schema::newest_opset);
  return facts == nullptr || facts->input(2) != nullptr;
}

/// The kernel of the operator that takes these dtypes; nullptr if there is none.
inline const IntegerKernel* kernel_that_takes(const Target& target, std::string_view op, DType activation,
                                              DType weight) {
  for (const IntegerKernel& kernel : target.kernels)
    if (kernel.op == op && takes_stated(target, kernel, activation, weight)) return &kernel;
  return nullptr;
}

/// "u8 with weights of i8"
inline std::string dtypes_text(const IntegerKernel& kernel) {
  std::string text;
  std::set<std::string> told;
  for (const KernelDTypes& entry : kernel.dtypes) {
    std::string one(to_string(entry.activation));
    if (kernel.form == KernelForm::weighted) one += " with weights of " + std::string(to_string(entry.weight));
    if (told.insert(one).second) text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

class TargetConjunction {
 public:
  TargetConjunction(const std::vector<const Target*>& parts, std::vector<TargetConflict>& conflicts)
      : parts_(parts), conflicts_(conflicts) {}

  Target find() {
    joint_ = *parts_.front();
    choose_zero_points();
    choose_dtypes();
    choose_bias();
    for (const Target* const part : std::span(parts_).subspan(1)) join(*part);
    join_names();
    look_at_opsets();
    look_for_products();
    join_costs();
    tell_lacking_kernels();
    joint_.release = {};
    joint_.kernel_changes = {};
    joint_.changes = {};
    return joint_;
  }
  /// What the views of the target refer to.
  std::vector<std::shared_ptr<const void>> take_owned() { return std::move(owned_); }

 private:
  template <class T>
  std::span<const T> keep(std::vector<T> list) {
    auto kept = std::make_shared<const std::vector<T>>(std::move(list));
    owned_.push_back(kept);
    return *kept;
  }
  template <class T>
  static std::vector<T> listed(std::span<const T> list) {
    return {list.begin(), list.end()};
  }
  template <class T>
  std::span<const T> chain(std::span<const T> a, std::span<const T> b) {
    if (b.empty() || a.data() == b.data()) return a;
    if (a.empty()) return b;
    std::vector<T> both = listed(a);
    both.insert(both.end(), b.begin(), b.end());
    return keep(std::move(both));
  }
  template <class T>
  std::span<const T> common(std::span<const T> a, std::span<const T> b) {
    std::vector<T> both = listed(a);
    std::erase_if(both, [&](const T& one) { return std::ranges::find(b, one) == b.end(); });
    return keep(std::move(both));
  }
  /// Of tables without a comparison: those of one table.
  template <class T>
  static std::span<const T> same(std::span<const T> a, std::span<const T> b) {
    return a.data() == b.data() && a.size() == b.size() ? a : std::span<const T>();
  }
  /// Where no entries mean all.
  template <class T>
  std::span<const T> common_unless_empty(std::span<const T> a, std::span<const T> b) {
    return a.empty() ? b : b.empty() ? a : common(a, b);
  }

  void conflict(std::string_view op, std::string text) {
    for (const TargetConflict& known : conflicts_)
      if (known.op == op) return;
    conflicts_.push_back({std::string(op), std::move(text)});
  }

  void choose_zero_points() {
    const auto stricter = [](const Target* a, const Target* b) { return a->zero_points < b->zero_points; };
    joint_.zero_points = (*std::ranges::max_element(parts_, stricter))->zero_points;
  }

  bool suits(DType activation) const {
    if (joint_.zero_points == ZeroPoints::zero && is_unsigned_integer(activation)) return false;
    return std::ranges::all_of(parts_, [&](const Target* part) { return may_quantize_to(*part, activation); });
  }
  std::size_t count_weighted(DType activation, DType weight) const {
    std::size_t count = 0;
    for (const IntegerKernel& kernel : parts_.front()->kernels)
      count += kernel.form == KernelForm::weighted && std::ranges::all_of(parts_, [&](const Target* part) {
                 return kernel_that_takes(*part, kernel.op, activation, weight) != nullptr;
               });
    return count;
  }
  void choose_dtypes() {
    std::vector<DType> activations, weights;
    for (const Target* const part : parts_) {
      activations.push_back(part->activation);
      weights.push_back(part->weight);
    }
    for (const DType dtype : {DType::i8, DType::u8}) {
      activations.push_back(dtype);
      weights.push_back(dtype);
    }
    std::size_t most = 0;
    for (const DType activation : activations) {
      if (!suits(activation)) continue;
      for (const DType weight : weights) {
        const std::size_t count = count_weighted(activation, weight);
        if (count <= most) continue;
        most = count;
        joint_.activation = activation;
        joint_.weight = weight;
      }
    }
    if (most == 0) throw Error("no model serves all of them in integers: " + why_none()).field("target");
  }
  std::string why_none() const {
    for (const IntegerKernel& kernel : parts_.front()->kernels) {
      if (kernel.form != KernelForm::weighted) continue;
      std::string text;
      for (const Target* const part : parts_) text += (text.empty() ? "" : "; ") + taken_text(*part, kernel.op);
      return std::string(kernel.op) + ": " + text;
    }
    return std::string(parts_.front()->name) + " has no kernel of an operator with a weight";
  }
  static std::string taken_text(const Target& target, std::string_view op) {
    const std::string name(target.name);
    const auto kernel = std::ranges::find(target.kernels, op, &IntegerKernel::op);
    if (kernel == target.kernels.end()) return name + " does not compute it in integers";
    return name + " takes " + dtypes_text(*kernel) + (target.zero_points == ZeroPoints::zero ? " around 0" : "");
  }

  void choose_bias() {
    const auto wants = [](const Target* part) { return part->bias == BiasForm::int32; };
    const auto takes = [](const Target* part) { return may_quantize_to(*part, DType::i32); };
    const bool is_int32 = std::ranges::any_of(parts_, wants) && std::ranges::all_of(parts_, takes);
    joint_.bias = is_int32 ? BiasForm::int32 : BiasForm::float32;
    if (is_int32 || std::ranges::none_of(parts_, wants)) return;
    const auto refuses = std::ranges::find_if_not(parts_, takes);
    for (const Target* const part : parts_) {
      if (!wants(part)) continue;
      for (const IntegerKernel& kernel : part->kernels) {
        if (kernel.form != KernelForm::weighted || !has_bias_input(kernel.op)) continue;
        if (kernel.has(KernelQuirk::takes_float_bias)) continue;
        if (kernel.has(KernelQuirk::quantizes_constants)) {
          quantize_biases_.insert(kernel.op);
        } else {
          conflict(kernel.op, std::string((*refuses)->name) + " refuses a bias of int32, " + std::string(part->name) +
                                  " takes no other");
        }
      }
    }
  }

  void join(const Target& other) {
    const Target before = joint_;
    joint_.quirks = joint_quirks(before.quirks, other.quirks, permitting_quirks);
    join_kernels(before, other);
    join_activations(other);
    joint_.weight_bits = std::min(before.weight_bits, other.weight_bits);
    joint_.fused_in_a_row = std::min(before.fused_in_a_row, other.fused_in_a_row);
    joint_.dynamic_kernels = same(before.dynamic_kernels, other.dynamic_kernels);
    joint_.block_kernels = same(before.block_kernels, other.block_kernels);
    joint_.cache_bits = same(before.cache_bits, other.cache_bits);
    joint_.block_costs = same(before.block_costs, other.block_costs);
    join_fused_operators(other);
    join_integer_operators(other);
    joint_.quantizer_dtypes = common_unless_empty(before.quantizer_dtypes, other.quantizer_dtypes);
    joint_.min_opset = std::max(before.min_opset, other.min_opset);
    joint_.max_opset = std::min(before.max_opset, other.max_opset);
    joint_.opset = std::max(before.opset, other.opset);
    joint_.refused_operators = chain(before.refused_operators, other.refused_operators);
    joint_.refused_on_integers = chain(before.refused_on_integers, other.refused_on_integers);
    joint_.refused_in_float = chain(before.refused_in_float, other.refused_in_float);
    joint_.max_rank = before.max_rank == 0 || other.max_rank == 0 ? std::max(before.max_rank, other.max_rank)
                                                                  : std::min(before.max_rank, other.max_rank);
    joint_.redundancy_slack = std::min(before.redundancy_slack, other.redundancy_slack);
  }

  /// Of those that serve different versions of the opset, each with each.
  void join_kernels(const Target& before, const Target& other) {
    std::vector<IntegerKernel> kernels;
    for (const IntegerKernel& a : before.kernels) {
      if (!has_entry(other.kernels, a.op)) {
        if (is_taken(a, other)) kernels.push_back(taken(a));
        continue;
      }
      for (const IntegerKernel& b : other.kernels)
        if (b.op == a.op)
          if (auto joined = join(a, before, b, other)) kernels.push_back(*std::move(joined));
    }
    for (const IntegerKernel& b : other.kernels)
      if (!has_entry(before.kernels, b.op) && is_taken(b, before)) kernels.push_back(taken(b));
    joint_.quantizers_pass = common(before.quantizers_pass, other.quantizers_pass);
    joint_.kernels = keep(std::move(kernels));
  }
  /// Whether the other runtime, which has no kernel for it, takes pairs around it: it moves values, and quantizers are
  /// taken across it, or it vanishes into a kernel in front where there are none.
  bool is_taken(const IntegerKernel& kernel, const Target& other) {
    const bool moves = kernel.form == KernelForm::passthrough;
    const auto& passing = other.quantizers_pass;
    const bool is_one = moves ? std::ranges::find(passing, kernel.op) != passing.end()
                              : kernel.form == KernelForm::elementwise && has_entry(other.activations, kernel.op);
    if (!is_one || kernel.takes(dtype_seen(joint_))) return is_one;
    conflict(kernel.op, "it takes " + dtypes_text(kernel) + " alone; together the targets take " +
                            std::string(to_string(joint_.activation)));
    return false;
  }
  static IntegerKernel taken(IntegerKernel kernel) {
    kernel.quirks = kernel.quirks.without(permitting_kernel_quirks);
    return kernel;
  }

  /// The stricter one: elementwise kernels take q-params that are the same in front and behind, too.
  static std::optional<KernelForm> joint_form(KernelForm a, KernelForm b) {
    if (a == b) return a;
    if (a == KernelForm::weighted || b == KernelForm::weighted) return std::nullopt;
    if (a == KernelForm::elementwise) return b;
    return b == KernelForm::elementwise ? std::optional(a) : std::nullopt;
  }

  std::optional<IntegerKernel> join(const IntegerKernel& a, const Target& before, const IntegerKernel& b,
                                    const Target& other) {
    const auto differ = [&](const std::string& text) {
      conflict(a.op, text);
      return std::nullopt;
    };
    for (const TargetConflict& known : conflicts_)
      if (known.op == a.op) return std::nullopt;
    const std::optional<KernelForm> form = joint_form(a.form, b.form);
    if (!form || a.first_operand != b.first_operand)
      return differ("its operands on " + std::string(other.name) + " are not those on " + std::string(before.name));
    if (!takes_stated(before, a, joint_.activation, joint_.weight) ||
        !takes_stated(other, b, joint_.activation, joint_.weight))
      return differ(taken_text(before, a.op) + "; " + taken_text(other, b.op));
    IntegerKernel kernel = a;
    kernel.form = *form;
    kernel.dtypes = keep(joint_dtypes(a, before, b, other));
    kernel.operands = std::min(a.operands, b.operands);
    kernel.since = std::max(a.since, b.since);
    kernel.until = std::min(a.until, b.until);
    kernel.quirks = joint_quirks(a.quirks, b.quirks, permitting_kernel_quirks);
    if (quantize_biases_.contains(a.op) || a.form != b.form)
      kernel.quirks = kernel.quirks.without({KernelQuirk::float_output, KernelQuirk::float_beside_quantizers});
    kernel.output_dtypes = common(a.output_dtypes, b.output_dtypes);
    kernel.moved_by = common(a.moved_by, b.moved_by);
    kernel.lacks = chain(a.lacks, b.lacks);
    kernel.lacks_dtypes = chain(a.lacks_dtypes, b.lacks_dtypes);
    kernel.unsaturated_up_to = std::max(a.unsaturated_up_to, b.unsaturated_up_to);
    const bool both_bound = a.scale_ratio != 0 && b.scale_ratio != 0;
    kernel.scale_ratio = both_bound ? std::min(a.scale_ratio, b.scale_ratio) : a.scale_ratio + b.scale_ratio;
    if (kernel.since > kernel.until)
      return differ("its opsets on " + std::string(other.name) + " are not those on " + std::string(before.name));
    return kernel;
  }
  /// As models state them, and as the runtime sees those.
  std::vector<KernelDTypes> joint_dtypes(const IntegerKernel& a, const Target& before, const IntegerKernel& b,
                                         const Target& other) const {
    std::vector<KernelDTypes> both;
    const auto add = [&](DType activation, DType weight) {
      if (!takes_stated(before, a, activation, weight) || !takes_stated(other, b, activation, weight)) return;
      both.push_back({activation, weight});
      const DType seen = dtype_seen(with_activations(joint_, activation));
      if (seen != activation) both.push_back({seen, weight});
    };
    for (const DType activation : joint_activations) {
      if (a.form != KernelForm::weighted) add(activation, DType::i8);
      else for (const DType weight : joint_weights) add(activation, weight);
    }
    return both;
  }

  void join_activations(const Target& other) {
    std::vector<FusedActivation> activations;
    for (FusedActivation fused : joint_.activations) {
      const auto same_op = std::ranges::find(other.activations, fused.op, &FusedActivation::op);
      if (same_op == other.activations.end()) continue;
      if (fused.input == FusedInput::either) fused.input = same_op->input;
      if (same_op->input != fused.input && same_op->input != FusedInput::either) continue;
      fused.when = std::max(fused.when, same_op->when);
      // A symmetric range lets no Relu vanish.
      if (joint_.zero_points == ZeroPoints::zero && fused.op == "Relu" && fused.when == Fuses::when_redundant) continue;
      activations.push_back(fused);
    }
    joint_.activations = keep(std::move(activations));
  }

  /// Any runtime computes operators of ONNX, if only in float.
  void join_fused_operators(const Target& other) {
    std::vector<FusedOperator> fused;
    const auto is_standard = [](const FusedOperator& one) {
      const OpName name = OpName::parse(one.op);
      return name.domain.empty() && schema::find("", name.op_type, schema::newest_opset) != nullptr;
    };
    for (const FusedOperator& one : joint_.fused_operators.operators)
      if (is_standard(one) || other.fused_operators.contains(one.op)) fused.push_back(one);
    for (const FusedOperator& one : other.fused_operators.operators)
      if (is_standard(one) && !joint_.fused_operators.contains(one.op)) fused.push_back(one);
    joint_.fused_operators.operators = keep(std::move(fused));
  }

  void join_integer_operators(const Target& other) {
    std::vector<IntegerOperator> operators;
    for (IntegerOperator one : joint_.integer_operators) {
      const auto same_op = std::ranges::find(other.integer_operators, one.op, &IntegerOperator::op);
      if (same_op == other.integer_operators.end()) continue;
      one.dtypes = common(one.dtypes, same_op->dtypes);
      operators.push_back(one);
    }
    joint_.integer_operators = keep(std::move(operators));
  }

  /// What is of all parts at once: names, faults, and what a backend takes beside its kernels.
  void join_names() {
    std::string name;
    std::vector<KnownFault> faults;
    std::optional<std::set<std::string_view>> computed;
    for (const Target* const part : parts_) {
      name += (name.empty() ? "" : ",") + std::string(part->name);
      for (KnownFault known : part->faults) {
        if (!part->has(known.fault)) continue;
        known.processor = Processor::any;
        faults.push_back(known);
      }
      if (part->float_operators.empty()) continue;
      std::set<std::string_view> taken(part->float_operators.begin(), part->float_operators.end());
      for (const IntegerKernel& kernel : part->kernels) taken.insert(kernel.op);
      if (computed) std::erase_if(taken, [&](std::string_view op) { return !computed->contains(op); });
      computed = std::move(taken);
    }
    joint_.name = *kept_name(std::move(name));
    joint_.parts = keep(parts_);
    joint_.faults = keep(std::move(faults));
    joint_.processor = Processor::any;
    if (computed) joint_.float_operators = keep(std::vector<std::string_view>(computed->begin(), computed->end()));
  }
  std::shared_ptr<const std::string> kept_name(std::string name) {
    auto kept = std::make_shared<const std::string>(std::move(name));
    owned_.push_back(kept);
    return kept;
  }

  /// In float, of a product of the first kernel with a weight that has one on all. Tables that were not measured, or
  /// were on another machine, have other units.
  std::vector<double> units() const {
    for (const IntegerKernel& kernel : joint_.kernels) {
      if (kernel.form != KernelForm::weighted) continue;
      std::vector<double> products;
      for (const Target* const part : parts_) products.push_back(double{kernel_on(*part, kernel)->in_float.product});
      if (std::ranges::all_of(products, [](double product) { return product > 0; })) return products;
    }
    return std::vector<double>(parts_.size(), 1);
  }
  /// nullptr if the part computes it in float, or takes quantizers across it.
  static const IntegerKernel* kernel_on(const Target& part, const IntegerKernel& joined) {
    for (const IntegerKernel& kernel : part.kernels)
      if (kernel.op == joined.op && kernel.since <= joined.since && joined.until <= kernel.until) return &kernel;
    return nullptr;
  }
  static KernelCost float_cost_on(const Target& part, std::string_view op) {
    const auto known = std::ranges::find(part.float_costs, op, &FloatCost::op);
    if (known != part.float_costs.end()) return known->cost;
    const auto kernel = std::ranges::find(part.kernels, op, &IntegerKernel::op);
    return kernel != part.kernels.end() ? kernel->in_float : part.other;
  }

  void join_costs() {
    const std::vector<double> unit = units();
    const auto mean = [&](auto cost_on) {
      KernelCost sum;
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        const KernelCost cost = cost_on(*parts_[i]);
        const auto share = static_cast<float>(unit[0] / unit[i] / static_cast<double>(parts_.size()));
        sum.call += share * cost.call;
        sum.element += share * cost.element;
        sum.product += share * cost.product;
        sum.weight += share * cost.weight;
        sum.piece += share * cost.piece;
      }
      return sum;
    };
    for (KernelCost Target::* const cost : {&Target::quantize, &Target::dequantize, &Target::relayout,
                                            &Target::dynamic_quantize, &Target::other})
      joint_.*cost = mean([&](const Target& part) { return part.*cost; });

    std::vector<IntegerKernel> kernels = listed(joint_.kernels);
    for (IntegerKernel& kernel : kernels) {
      const auto costs = [&](KernelWidth width) {
        const auto on = [&](const Target& part) {
          const IntegerKernel* const own = kernel_on(part, kernel);
          return own != nullptr ? costs_of(*own, width) : KernelCosts{part.other, part.other};
        };
        return KernelCosts{mean([&](const Target& part) { return on(part).in_float; }),
                           mean([&](const Target& part) { return on(part).in_integers; })};
      };
      const auto further = [&](KernelCost IntegerKernel::* cost) {
        return mean([&](const Target& part) {
          const IntegerKernel* const own = kernel_on(part, kernel);
          return own != nullptr ? own->*cost : KernelCost();
        });
      };
      const KernelCosts usual = costs(KernelWidth::usual);
      const KernelCost guard = further(&IntegerKernel::guard_cost), apart = further(&IntegerKernel::float_input_cost);
      kernel.few_channels = costs(KernelWidth::few_channels);
      kernel.first_layer = costs(KernelWidth::first_layer);
      kernel.in_float = usual.in_float;
      kernel.in_integers = usual.in_integers;
      kernel.guard_cost = guard;
      kernel.float_input_cost = apart;
    }
    joint_.kernels = keep(std::move(kernels));

    std::set<std::string_view> ops;
    for (const Target* const part : parts_) {
      for (const FloatCost& one : part->float_costs) ops.insert(one.op);
      for (const IntegerKernel& kernel : part->kernels) ops.insert(kernel.op);
    }
    std::vector<FloatCost> float_costs;
    for (const std::string_view op : ops)
      if (!has_entry(joint_.kernels, op))
        float_costs.push_back({op, mean([op](const Target& part) { return float_cost_on(part, op); })});
    joint_.float_costs = keep(std::move(float_costs));
  }

  void look_at_opsets() const {
    if (joint_.opset <= joint_.max_opset && joint_.min_opset <= joint_.max_opset) return;
    throw Error("no opset serves all of them: one needs " +
                std::to_string(std::max(joint_.opset, joint_.min_opset)) + ", another reads those up to " +
                std::to_string(joint_.max_opset))
        .field("target");
  }

  void look_for_products() const {
    const auto is_weighted = [](const IntegerKernel& kernel) { return kernel.form == KernelForm::weighted; };
    if (std::ranges::any_of(joint_.kernels, is_weighted)) return;
    const auto& [op, text] = conflicts_.front();
    throw Error("no model serves all of them in integers: " + op + ": " + text).field("target");
  }

  void tell_lacking_kernels() {
    for (const Target* const part : parts_)
      for (const IntegerKernel& kernel : part->kernels) {
        if (has_entry(joint_.kernels, kernel.op)) continue;
        std::string having, lacking;
        for (const Target* const one : parts_) {
          std::string& list = has_entry(one->kernels, kernel.op) ? having : lacking;
          list += (list.empty() ? "" : " and ") + std::string(one->name);
        }
        if (!lacking.empty()) conflict(kernel.op, having + " can compute it in integers, " + lacking + " not");
      }
  }

  const std::vector<const Target*>& parts_;
  std::vector<TargetConflict>& conflicts_;
  std::set<std::string_view> quantize_biases_;  // operators whose float bias is quantized beside a quantized result
  std::vector<std::shared_ptr<const void>> owned_;
  Target joint_;
};

/// A target and what its views refer to.
struct OwnedJointTarget {
  std::vector<std::shared_ptr<const void>> lists;
  Target target;
};

}  // namespace detail

GRAFT_INLINE JointTarget::JointTarget(std::vector<const Target*> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw Error("there is no target").field("target");
  const auto owned = std::make_shared<detail::OwnedJointTarget>();
  if (parts_.size() == 1) {
    owned->target = *parts_.front();
  } else {
    detail::TargetConjunction conjunction(parts_, conflicts_);
    owned->target = conjunction.find();
    owned->lists = conjunction.take_owned();
  }
  joint_ = {owned, &owned->target};
}

}  // namespace graft::inline v1
