#pragma once
#include <graft/quantize/target/target_file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/whole_file.hpp>
#include <graft/quantize/detail/json.hpp>
#include <graft/quantize/kernel/release.hpp>
#include <graft/quantize/target/targets.hpp>

namespace graft::inline v1 {

namespace detail {

/// A target and what its views refer to, beside what the base's refer to.
struct OwnedTarget {
  std::string name;
  std::vector<IntegerKernel> kernels;
  std::vector<BlockCost> block_costs;
  std::vector<KnownFault> faults;
  Target target;
};

/// An object of JSON, and where it stands.
class JsonObject {
 public:
  JsonObject(const google::protobuf::Struct& object, std::string place) : object_(&object), place_(std::move(place)) {}

  std::string field(std::string_view member) const {
    return place_.empty() ? std::string(member) : place_ + "." + std::string(member);
  }
  const google::protobuf::Value* find(const std::string& member) const {
    const auto found = object_->fields().find(member);
    return found == object_->fields().end() ? nullptr : &found->second;
  }
  /// Throws Error for a member that is none of these.
  void allow(const std::vector<std::string_view>& members) const {
    for (const auto& [name, value] : object_->fields())
      if (name != "comment" && std::find(members.begin(), members.end(), name) == members.end())
        throw Error("there is no such member").field(field(name));
  }
  std::string text(const std::string& member) const {
    const google::protobuf::Value* const value = find(member);
    if (value == nullptr) throw Error("is missing").field(field(member));
    if (!value->has_string_value() || value->string_value().empty()) throw Error("is not a text").field(field(member));
    return value->string_value();
  }
  /// 0 where it is missing.
  float cost(const std::string& member) const {
    const google::protobuf::Value* const value = find(member);
    if (value == nullptr) return 0;
    if (!value->has_number_value()) throw Error("is not a number").field(field(member));
    const double number = value->number_value();
    if (!(number >= 0 && number <= std::numeric_limits<float>::max()))
      throw Error("is negative or no finite float32").field(field(member));
    return static_cast<float>(number);
  }
  /// read(object), where it is there.
  template <class Read>
  void if_present(const std::string& member, const Read& read) const {
    const google::protobuf::Value* const value = find(member);
    if (value == nullptr) return;
    if (!value->has_struct_value()) throw Error("is not an object").field(field(member));
    read(JsonObject(value->struct_value(), field(member)));
  }

 private:
  const google::protobuf::Struct* object_;
  std::string place_;
};

inline constexpr std::array fault_names{
    std::pair{Fault::dropped_bias, std::string_view("dropped-bias")},
    std::pair{Fault::partial_tiles, std::string_view("partial-tiles")},
    std::pair{Fault::unstated_zero_point, std::string_view("unstated-zero-point")},
    std::pair{Fault::unstated_zero_point_anywhere, std::string_view("unstated-zero-point-anywhere")},
    std::pair{Fault::carried_int8, std::string_view("carried-int8")},
    std::pair{Fault::carried_into_body, std::string_view("carried-into-body")},
    std::pair{Fault::dropped_cache_bias, std::string_view("dropped-cache-bias")}};
inline constexpr std::array processor_names{std::pair{Processor::any, std::string_view("any")},
                                            std::pair{Processor::amx, std::string_view("amx")}};

template <class Names>
auto named_as(const Names& names, const JsonObject& object, const std::string& member) {
  const std::string text = object.text(member);
  for (const auto& [value, name] : names)
    if (name == text) return value;
  throw Error("'" + text + "' is none of those that graft knows").field(object.field(member));
}

template <class Names, class Value>
std::string name_in(const Names& names, Value value) {
  return json_string(std::ranges::find(names, value, &Names::value_type::first)->second);
}

inline KnownFault read_fault(const JsonObject& object) {
  object.allow({"fault", "since", "mended", "processor"});
  const auto release = [&](const std::string& member) {
    try {
      return Release::parse(object.text(member));
    } catch (const Error& error) {
      throw Error(error.message()).field(object.field(member));
    }
  };
  KnownFault known{.fault = named_as(fault_names, object, "fault"), .since = release("since")};
  if (object.find("mended") != nullptr) known.mended = release("mended");
  if (object.find("processor") != nullptr) known.processor = named_as(processor_names, object, "processor");
  return known;
}

inline std::string fault_text(const KnownFault& known) {
  std::string text =
      "{\"fault\": " + name_in(fault_names, known.fault) + ", \"since\": " + json_string(to_string(known.since));
  if (known.mended) text += ", \"mended\": " + json_string(to_string(*known.mended));
  if (known.processor != Processor::any) text += ", \"processor\": " + name_in(processor_names, known.processor);
  return text + "}";
}

/// read(object) for each object of a list.
template <class Read>
void for_each_object(const google::protobuf::Value& list, const std::string& field, const Read& read) {
  if (!list.has_list_value()) throw Error("is not a list").field(field);
  for (int i = 0; i < list.list_value().values_size(); ++i) {
    const google::protobuf::Value& value = list.list_value().values(i);
    const std::string place = field + "[" + std::to_string(i) + "]";
    if (!value.has_struct_value()) throw Error("is not an object").field(place);
    read(JsonObject(value.struct_value(), place));
  }
}

inline KernelCost read_cost(const JsonObject& object) {
  object.allow({"call", "element", "product", "weight", "piece"});
  return {object.cost("call"), object.cost("element"), object.cost("product"), object.cost("weight"),
          object.cost("piece")};
}

inline KernelCosts read_costs(const JsonObject& object, KernelCosts costs) {
  object.allow({"in_float", "in_integers"});
  object.if_present("in_float", [&](const JsonObject& cost) { costs.in_float = read_cost(cost); });
  object.if_present("in_integers", [&](const JsonObject& cost) { costs.in_integers = read_cost(cost); });
  return costs;
}

/// Each member has an older spelling, which files may still have.
inline void read_kernel(const JsonObject& object, IntegerKernel& kernel) {
  object.allow({"op", "in_float", "in_integers", "few_channels", "narrow", "first_layer", "image", "guard_cost",
                "guarded", "float_input_cost", "apart"});
  const auto read = [&](std::initializer_list<const char*> spellings, const auto& from) {
    for (const char* const spelling : spellings) object.if_present(spelling, from);
  };
  read({"in_float"}, [&](const JsonObject& cost) { kernel.in_float = read_cost(cost); });
  read({"in_integers"}, [&](const JsonObject& cost) { kernel.in_integers = read_cost(cost); });
  const KernelCosts usual{kernel.in_float, kernel.in_integers};
  read({"narrow", "few_channels"},
       [&](const JsonObject& costs) { kernel.few_channels = read_costs(costs, kernel.few_channels.value_or(usual)); });
  read({"image", "first_layer"}, [&](const JsonObject& costs) {
    kernel.first_layer = read_costs(costs, kernel.first_layer.value_or(kernel.few_channels.value_or(usual)));
  });
  read({"guarded", "guard_cost"}, [&](const JsonObject& cost) { kernel.guard_cost = read_cost(cost); });
  read({"apart", "float_input_cost"}, [&](const JsonObject& cost) { kernel.float_input_cost = read_cost(cost); });
}

inline void read_kernels(const google::protobuf::Value& list, OwnedTarget& owned) {
  for_each_object(list, "kernels", [&](const JsonObject& object) {
    const std::string op = object.text("op");
    const auto kernel = std::find_if(owned.kernels.begin(), owned.kernels.end(),
                                     [&](const IntegerKernel& entry) { return entry.op == op; });
    if (kernel == owned.kernels.end()) throw Error("the base has no kernel '" + op + "'").field(object.field("op"));
    read_kernel(object, *kernel);
  });
}

inline bool has_cost(std::span<const BlockCost> costs, int bits) {
  return std::any_of(costs.begin(), costs.end(), [=](const BlockCost& one) { return one.bits == bits; });
}

/// By bits, as members.
inline void read_block_costs(const JsonObject& object, std::vector<BlockCost>& costs) {
  std::vector<std::string> bits;
  for (const BlockCost& known : costs) bits.push_back(std::to_string(known.bits));
  object.allow({bits.begin(), bits.end()});
  for (std::size_t i = 0; i < costs.size(); ++i)
    object.if_present(bits[i], [&](const JsonObject& cost) { costs[i].cost = read_cost(cost); });
}

inline std::string cost_text(const KernelCost& cost, std::string_view field) {
  std::string text;
  const auto add = [&](const char* name, float number) {
    if (!std::isfinite(number)) throw Error("is not finite").field(field);
    if (number != 0) text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + shortest_decimal(number);
  };
  add("call", cost.call);
  add("element", cost.element);
  add("product", cost.product);
  add("weight", cost.weight);
  add("piece", cost.piece);
  return "{" + text + "}";
}

inline std::string costs_text(const KernelCosts& costs, std::string_view field) {
  return "{\"in_float\": " + cost_text(costs.in_float, field) +
         ", \"in_integers\": " + cost_text(costs.in_integers, field) + "}";
}

inline std::string kernel_text(const IntegerKernel& kernel) {
  std::string text = "{\"op\": " + json_string(kernel.op) + ", \"in_float\": " + cost_text(kernel.in_float, kernel.op) +
                     ", \"in_integers\": " + cost_text(kernel.in_integers, kernel.op);
  if (kernel.few_channels) text += ",\n     \"few_channels\": " + costs_text(*kernel.few_channels, kernel.op);
  if (kernel.first_layer) text += ",\n     \"first_layer\": " + costs_text(*kernel.first_layer, kernel.op);
  for (const auto& [field, more] :
       {std::pair("guard_cost", kernel.guard_cost), std::pair("float_input_cost", kernel.float_input_cost)})
    if (more.call != 0 || more.element != 0 || more.product != 0 || more.weight != 0)
      text += ",\n     \"" + std::string(field) + "\": " + cost_text(more, kernel.op);
  return text + "}";
}

inline std::shared_ptr<const Target> parse_target(std::string_view text, const JsonLimits& limits) {
  const google::protobuf::Struct parsed = parse_json(text, limits);
  const JsonObject object(parsed, "");
  object.allow({"name", "base", "processor", "faults", "quantize", "dequantize", "dynamic_quantize", "block_products",
                "kernels"});
  const auto owned = std::make_shared<OwnedTarget>();
  owned->name = object.text("name");
  const std::string base = object.text("base");
  try {
    owned->target = targets::named(base);
  } catch (const Error& error) {
    throw Error(error.message()).field("base");
  }
  Target& target = owned->target;
  target.name = owned->name;
  object.if_present("quantize", [&](const JsonObject& cost) { target.quantize = read_cost(cost); });
  object.if_present("dequantize", [&](const JsonObject& cost) { target.dequantize = read_cost(cost); });
  object.if_present("dynamic_quantize", [&](const JsonObject& cost) { target.dynamic_quantize = read_cost(cost); });
  owned->block_costs.assign(target.block_costs.begin(), target.block_costs.end());
  object.if_present("block_products", [&](const JsonObject& costs) { read_block_costs(costs, owned->block_costs); });
  target.block_costs = owned->block_costs;
  owned->kernels.assign(target.kernels.begin(), target.kernels.end());
  if (const google::protobuf::Value* const kernels = object.find("kernels")) read_kernels(*kernels, *owned);
  target.kernels = owned->kernels;
  if (object.find("processor") != nullptr) target.processor = named_as(processor_names, object, "processor");
  if (const google::protobuf::Value* const faults = object.find("faults")) {
    for_each_object(*faults, "faults", [&](const JsonObject& fault) { owned->faults.push_back(read_fault(fault)); });
    target.faults = owned->faults;
  }
  return {owned, &owned->target};
}

}  // namespace detail

GRAFT_INLINE std::shared_ptr<const Target> target_from_json(std::string_view text, const JsonLimits& limits) {
  if constexpr (detail::has_json) return detail::parse_target(text, limits);
  throw Error(detail::no_json);
}

GRAFT_INLINE std::string to_json(const Target& target, const Target& base) {
  std::string kernels;
  for (const IntegerKernel& kernel : target.kernels) {
    if (!detail::has_entry(base.kernels, kernel.op)) throw Error("is not a kernel of the base").field(kernel.op);
    kernels += (kernels.empty() ? "\n    " : ",\n    ") + detail::kernel_text(kernel);
  }
  std::string block_products;
  for (const BlockCost& one : target.block_costs) {
    if (!detail::has_cost(base.block_costs, one.bits))
      throw Error("is a width whose cost the base does not have").field(std::to_string(one.bits));
    block_products += (block_products.empty() ? "\"" : ", \"") + std::to_string(one.bits) +
                      "\": " + detail::cost_text(one.cost, "block_products");
  }
  std::string faults;
  for (const KnownFault& known : target.faults)
    faults += (faults.empty() ? "\n    " : ",\n    ") + detail::fault_text(known);
  return "{\n  \"name\": " + detail::json_string(target.name) + ",\n  \"base\": " + detail::json_string(base.name) +
         ",\n  \"processor\": " + detail::name_in(detail::processor_names, target.processor) + ",\n  \"faults\": [" +
         faults + (faults.empty() ? "]" : "\n  ]") +
         ",\n  \"quantize\": " + detail::cost_text(target.quantize, "quantize") +
         ",\n  \"dequantize\": " + detail::cost_text(target.dequantize, "dequantize") +
         ",\n  \"dynamic_quantize\": " + detail::cost_text(target.dynamic_quantize, "dynamic_quantize") +
         (block_products.empty() ? "" : ",\n  \"block_products\": {" + block_products + "}") + ",\n  \"kernels\": [" +
         kernels + "\n  ]\n}\n";
}

GRAFT_INLINE std::shared_ptr<const Target> load_target(const std::string& path, const JsonLimits& limits) {
  const std::string text = read_whole(path, limits.max_bytes);
  try {
    return target_from_json(text, limits);
  } catch (Error& error) {
    throw error.file(path);
  }
}

GRAFT_INLINE void save_target(const Target& target, const Target& base, const std::string& path) {
  write_whole(path, to_json(target, base));
}

namespace targets {

GRAFT_INLINE std::shared_ptr<const Target> named_or_loaded(const std::string& name_or_file) {
  constexpr std::string_view ending = ".json";
  const std::string_view name = name_or_file;
  if (name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending)
    return load_target(name_or_file);
  return {std::shared_ptr<void>(), &named(name)};  // it is static: nothing owns it
}

}  // namespace targets
}  // namespace graft::inline v1
